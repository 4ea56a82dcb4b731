import type { ExampleSteps, FieldStep, FieldValue, FormStep, NodeStep } from './example-steps.ts'

/** The rows of an example's table in the README: node, what to search for, and fields. */
export function renderSteps({ steps }: ExampleSteps): string[][] {
  return steps.map((step) => [step.node, searchOf(step), step.form.map(formText).join('; ')])
}

function searchOf({ search, entry, action, below }: NodeStep): string {
  return [
    search,
    ...(entry === undefined ? [] : [`entry **${entry}**`]),
    ...(action === undefined ? [] : [`action **${action}**`]),
    ...(below === undefined ? [] : [`at **${below.plus}** of ${below.node}`]),
  ].join(', ')
}

function formText(step: FormStep): string {
  if ('added' in step) {
    const fields = step.added.map((field) => `\`${field.name}\` with the expression \`${field.expression}\``)
    return `**Fields to Set** ${fields.join(', ')}`
  }
  const start = step.isOption === true ? 'option ' : ''
  if ('rows' in step) {
    const rows = step.rows.map((row) => row.map((field) => fieldText(field)).join(', '))
    return `${start}**${step.label}**: ${rows.join(', then ')}`
  }
  return start + fieldText(step)
}

function fieldText({ label, value }: FieldStep): string {
  return `**${label}** ${valueText(value)}`
}

function valueText(value: FieldValue): string {
  if ('text' in value) return `\`${value.text}\``
  if ('expression' in value) return `with the expression \`${value.expression}\``
  if ('choice' in value) return value.choice
  return 'isOn' in value ? 'on' : 'defined by the model'
}
