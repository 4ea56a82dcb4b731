import type { Locator, Page } from 'playwright-core'
import type { FieldStep, FormStep } from './example-steps.ts'

/** Fills in the form of the open node as a person does: with mouse and keyboard. */
export class NodeForm {
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
    const options = this.#page.getByRole('option').filter({ visible: true })
    // an entry has a description below its name
    await options
      .filter({ has: this.#page.getByText(choice, { exact: true }) })
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
