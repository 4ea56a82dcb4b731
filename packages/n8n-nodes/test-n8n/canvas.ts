import type { Locator, Page } from 'playwright-core'
import type { FieldStep, FormStep, NodeStep } from './example-steps.ts'

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

/** Fills in the form of the open node as a person does: with mouse and keyboard. */
class NodeForm {
  readonly #page: Page
  readonly #panel: Locator

  constructor(page: Page) {
    this.#page = page
    this.#panel = page.getByTestId('node-parameters')
  }

  async fill(steps: readonly FormStep[]): Promise<void> {
    for (const step of steps) await this.#fillStep(step)
  }

  async #fillStep(step: FormStep): Promise<void> {
    if ('added' in step) {
      for (const [index, { name, expression }] of step.added.entries())
        await this.#addAssignment(index, name, expression)
      return
    }
    if (step.isOption === true) await this.#addOption(step.label)
    if (!('rows' in step)) {
      await this.#set(this.#panel, step, 0)
      return
    }
    const group = this.#panel.getByTestId(`fixed-collection-${step.name}`)
    await group.first().waitFor()
    for (const [index, row] of step.rows.entries()) {
      const [first] = row
      if (first === undefined) continue
      if ((await this.#field(group, first).count()) <= index) {
        await this.#addRow(group)
        await this.#field(group, first).nth(index).waitFor()
      }
      for (const field of row) await this.#set(group, field, index)
    }
  }

  /** Chooses an option behind the button "Add option" or the like. */
  async #addOption(label: string): Promise<void> {
    const add = this.#panel
      .getByTestId('collection-parameter-add')
      .or(this.#panel.getByTestId('collection-parameter-add-dropdown').getByRole('button'))
      // n8n 2.0
      .or(this.#panel.locator('.param-options .add-option'))
      .last()
    await add.click()
    const entry = this.#page.getByRole('option').or(this.#page.getByRole('menuitem')).filter({ visible: true })
    const wanted = entry.filter({ hasText: new RegExp(`^\\s*${escaped(label)}\\s*$`) }).first()
    if ((await add.evaluate((element) => element.textContent)) !== label) await wanted.click()
  }

  async #addRow(group: Locator): Promise<void> {
    await group
      .getByTestId('fixed-collection-add')
      .or(group.getByTestId('fixed-collection-add-property'))
      .or(group.getByTestId('fixed-collection-add-top-level-button'))
      .or(group.getByTestId('fixed-collection-add-nested-button'))
      .first()
      .click()
  }

  async #addAssignment(index: number, name: string, expression: string): Promise<void> {
    const group = this.#panel.getByTestId('assignment-collection-assignments')
    await group.getByTestId('assignment-collection-drop-area').click()
    const row = group.getByTestId('assignment').nth(index)
    await row.getByTestId('assignment-name').locator('input').fill(name)
    // the name of the field has such a switch too
    const value = row.getByTestId('assignment-value')
    await this.#openExpression(value, value)
    await this.#type(value.locator('.cm-content'), expression)
  }

  async #set(scope: Locator, field: FieldStep, index: number): Promise<void> {
    const { name, value } = field
    const input = this.#field(scope, field).nth(index)
    await input.scrollIntoViewIfNeeded()
    if ('text' in value) {
      const typed = input.locator('input, textarea').first()
      await typed.fill(value.text)
      await typed.blur()
    } else if ('expression' in value) {
      const options = scope.getByTestId(`${name}-parameter-input-options-container`).nth(index)
      await this.#openExpression(input, options)
      await this.#type(input.locator('.cm-content'), value.expression)
    } else if ('choice' in value) {
      await this.#choose(scope, field, index, value.choice)
    } else if ('choices' in value) {
      await scope.getByTestId(`parameter-input-${name}`).nth(index).click()
      // the list stays open for more
      for (const one of value.choices) await this.#clickEntry(one)
      await this.#page.getByTestId('tab-params').filter({ visible: true }).first().click()
    } else if ('isOn' in value) {
      const toggle = input.locator('.el-switch, [role="switch"]').first()
      if ((await toggle.getAttribute('aria-checked')) !== 'true') await toggle.click()
    } else {
      await input.hover()
      await scope.getByTestId('from-ai-override-button').first().click()
    }
  }

  /** Switches a field to an expression. A field whose list is being loaded ignores the switch. */
  async #openExpression(field: Locator, options: Locator): Promise<void> {
    const editor = field.locator('.cm-content')
    for (let attempt = 0; attempt < 20; attempt += 1) {
      await field.hover()
      await options.getByTestId('radio-button-expression').click()
      const isOpen = await editor.waitFor({ timeout: 3000 }).then(
        () => true,
        () => false,
      )
      if (isOpen) return
    }
    throw new Error('A field of the node did not become an expression')
  }

  async #choose(scope: Locator, { name }: FieldStep, index: number, choice: string): Promise<void> {
    const entry = new RegExp(`^\\s*${escaped(choice)}(?:\\s*\\(.*\\))?\\s*$`, 'i')
    const locator = scope.getByTestId(`resource-locator-${name}`).nth(index)
    if ((await locator.count()) > 0) {
      await locator.getByTestId('rlc-input').click()
      await this.#page.getByTestId('rlc-item').filter({ hasText: entry, visible: true }).first().click()
      return
    }
    await scope.getByTestId(`parameter-input-${name}`).nth(index).click()
    await this.#clickEntry(choice)
  }

  /** An entry of the list that is open. It has a description below its name. */
  async #clickEntry(name: string): Promise<void> {
    const options = this.#page.getByRole('option').filter({ visible: true })
    await options
      .filter({ has: this.#page.getByText(name, { exact: true }) })
      .first()
      .click()
  }

  #field(scope: Locator, { name }: FieldStep): Locator {
    return scope.getByTestId(`parameter-input-${name}`).or(scope.getByTestId(`resource-locator-${name}`))
  }

  /** An editor of code: it closes brackets by itself when they are typed, but not when they are pasted. */
  async #type(editor: Locator, text: string): Promise<void> {
    await editor.click()
    await editor.fill(text)
    // a click elsewhere: when the editor is left by the keyboard, n8n 2.0 keeps its result open, over the next field
    await this.#page.getByTestId('tab-params').filter({ visible: true }).first().click()
    // the editor takes the text over a moment later
    await this.#page.waitForTimeout(1000)
  }
}

/** A text as a part of a regular expression. */
export function escaped(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)
}
