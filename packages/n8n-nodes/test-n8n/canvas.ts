import type { Locator, Page } from 'playwright-core'
import type { NodeStep } from './example-steps.ts'
import { NodeForm } from './node-form.ts'

/** The address of a workflow that has been saved. */
const SAVED = /\/workflow\/(?!new)(\w+)/

/** How long the editor may take to save a workflow by its name alone, in milliseconds. */
const NAME_SAVE_TIMEOUT = 20_000

/** The canvas of n8n's editor, clicked as a person does. */
export class Canvas {
  readonly #page: Page

  constructor(page: Page) {
    this.#page = page
  }

  /** Opens an empty canvas. */
  async openEmpty(): Promise<void> {
    await this.#page.goto('/workflow/new')
    await this.#page.getByTestId('canvas-add-button').waitFor()
  }

  /** Adds the nodes one after the other, renames each and fills in its form. */
  async build(steps: readonly NodeStep[]): Promise<void> {
    let last: string | undefined
    for (const step of steps) {
      await this.#openPicker(step, last)
      const name = await this.#pick(step)
      await this.#openNode(name)
      await this.#rename(step.node)
      await new NodeForm(this.#page).fill(step.form)
      await this.closeNode()
      if (step.below === undefined) last = step.node
    }
    // n8n puts a second tool over the name of the first
    await this.#page.getByTestId('tidy-up-button').first().click()
  }

  /** Saves the workflow. @returns Its id */
  async save(name: string): Promise<string> {
    await this.#page.keyboard.press('Escape')
    const preview = this.#page
      .getByTestId('workflow-name-input')
      .or(this.#page.getByTestId('workflow-location-workflow-name'))
      .first()
    await preview.click()
    const input = preview.locator('input').or(this.#page.getByTestId('inline-edit-input')).first()
    await input.fill(name)
    await input.press('Enter')
    // n8n 2.0 saves with the name already: two saves of a new workflow make two
    await this.#page.waitForURL(SAVED, { timeout: NAME_SAVE_TIMEOUT }).catch(() => {})
    await this.#page.keyboard.press('ControlOrMeta+s')
    await this.#page.waitForURL(SAVED)
    await this.#page.waitForLoadState('networkidle')
    return SAVED.exec(this.#page.url())?.[1] ?? ''
  }

  /** A node by its name. */
  node(name: string): Locator {
    return this.#page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`)
  }

  /** Brings all nodes into view. */
  async fit(): Promise<void> {
    await this.#page.getByTestId('zoom-to-fit').click()
    // the canvas moves there
    await this.#page.waitForTimeout(500)
  }

  /** Waits until a node has been run with success. */
  async succeeded(name: string, timeout: number): Promise<void> {
    await this.node(name).getByTestId('canvas-node-status-success').first().waitFor({ timeout })
  }

  /** Opens the form of a node. */
  async open(name: string): Promise<void> {
    await this.node(name).dblclick({ force: true })
    await this.#page.getByTestId('node-parameters').waitFor()
  }

  /** Closes the form of a node. */
  async closeNode(): Promise<void> {
    const form = this.#page.getByTestId('node-parameters')
    if (!(await form.isVisible())) return
    await this.#page.getByTestId('ndv-close-button').or(this.#page.getByTestId('back-to-canvas')).first().click()
    await form.waitFor({ state: 'hidden' })
  }

  async #openPicker({ below }: NodeStep, last: string | undefined): Promise<void> {
    if (last !== undefined) await this.fit()
    if (below !== undefined) {
      await this.node(below.node)
        .locator('..')
        .locator(`[data-test-id="canvas-node-input-handle"]`)
        .filter({ hasText: below.plus })
        .getByTestId('canvas-handle-plus')
        .first()
        .click({ force: true })
    } else if (last === undefined) {
      await this.#page.getByTestId('canvas-add-button').locator('button').first().click()
    } else {
      const handle = `[data-test-id="canvas-node-output-handle"][data-node-name="${last}"]`
      await this.#page.locator(handle).getByTestId('canvas-handle-plus').first().click({ force: true })
    }
    await this.#page.getByTestId('node-creator-search-bar').waitFor()
  }

  /** @returns The name that n8n gave the new node */
  async #pick({ search, entry = search, action }: NodeStep): Promise<string> {
    const before = new Set(await this.#names())
    await this.#page.getByTestId('node-creator-search-bar').fill(search)
    // n8n 2.0 calls the entry as what is searched for, and adds a node with one action at once
    await this.#entry(entry).or(this.#entry(search)).first().click()
    let isChosen = action === undefined
    for (let tries = 0; tries < 100; tries += 1) {
      const name = (await this.#names()).find((one) => !before.has(one))
      if (name !== undefined) return name
      if (!isChosen && (await this.#entry(action ?? '').isVisible())) {
        await this.#entry(action ?? '').click()
        isChosen = true
      }
      await this.#page.waitForTimeout(300)
    }
    throw new Error(`No node was added for ${search}`)
  }

  #entry(text: string): Locator {
    const names = this.#page.getByTestId('node-creator').getByTestId('node-creator-item-name')
    return names.getByText(text, { exact: true }).first()
  }

  async #names(): Promise<string[]> {
    const nodes = await this.#page.getByTestId('canvas-node').all()
    return Promise.all(nodes.map(async (node) => (await node.getAttribute('data-node-name')) ?? ''))
  }

  /** Some nodes open their form when they are added, others do not. */
  async #openNode(name: string): Promise<void> {
    const form = this.#page.getByTestId('node-parameters')
    const isOpen = await form.waitFor({ timeout: 5000 }).then(
      () => true,
      () => false,
    )
    if (!isOpen) await this.node(name).dblclick({ force: true })
    await form.waitFor()
    await this.#page.waitForLoadState('networkidle')
  }

  async #rename(name: string): Promise<void> {
    const title = this.#page.getByTestId('node-title-container')
    await title.getByTestId('inline-editable-area').or(title).first().click()
    const input = title.locator('input').first()
    await input.fill(name)
    await input.press('Enter')
    await title.getByTestId('inline-edit-preview').filter({ hasText: name }).waitFor()
  }
}
