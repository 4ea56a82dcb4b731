import { createHash } from 'node:crypto'
import type { Narration } from '../narration.ts'

/** Fields of a narration that are known only once its audio is there. */
export type LateField = 'src' | 'captions' | 'durationSeconds' | 'bytes' | 'sections'

const PLACEHOLDER = /__NARRATION_([\da-f]{16})_(src|captions|durationSeconds|bytes|sections)__/g

/** What stands in code for a field until the audio is there. It survives minifiers, since it is a word in a string. */
export function placeholder(plan: string, field: LateField): string {
  return `__NARRATION_${plan}_${field}__`
}

/** The name of a plan: 16 hexadecimal digits. */
export function planName(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 16)
}

/** The plans that code has placeholders of. */
export function plansIn(code: string): Set<string> {
  const plans = new Set<string>()
  if (!code.includes('__NARRATION_')) return plans
  for (const [, plan = ''] of code.matchAll(PLACEHOLDER)) plans.add(plan)
  return plans
}

/** Fills placeholders in; each value must be safe in a string of any quotes. */
export function fillPlaceholders(code: string, valueOf: (plan: string, field: LateField) => string): string {
  return code.replace(PLACEHOLDER, (_, plan: string, field: string) => (isLate(field) ? valueOf(plan, field) : ''))
}

/** JSON as the content of a string literal, whatever its quotes. */
export function inString(value: unknown): string {
  return (JSON.stringify(value) ?? 'null').replace(/["'`\\$\u2028\u2029<>]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/**
 * The module of a narration in a build, with placeholders for what is not known yet. The fields are named exports too:
 * what a site does not use is dropped, and a narration of which only the text is used makes no audio.
 */
export function plannedModule(
  plan: string,
  known: Pick<Narration, 'type' | 'characters' | 'text' | 'title' | 'language'>,
): string {
  // JSON.parse, since bundlers fold Number() of a word.
  const late = (field: LateField): string =>
    `/* @__PURE__ */ JSON.parse(${JSON.stringify(placeholder(plan, field))}) ?? undefined`
  return moduleOf({
    src: JSON.stringify(placeholder(plan, 'src')),
    captions: JSON.stringify(placeholder(plan, 'captions')),
    durationSeconds: late('durationSeconds'),
    bytes: late('bytes'),
    sections: late('sections'),
    ...codeOf(known),
  })
}

/** The module of a narration that is wholly known. */
export function finishedModule(narration: Narration): string {
  return moduleOf(codeOf({ ...narration }))
}

function codeOf(fields: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, JSON.stringify(value) ?? 'undefined']))
}

/** Names of the exports, in order. */
const FIELDS: readonly (keyof Narration)[] = [
  'src',
  'type',
  'durationSeconds',
  'bytes',
  'characters',
  'text',
  'title',
  'language',
  'captions',
  'sections',
]

function moduleOf(code: Readonly<Record<string, string>>): string {
  const lines = FIELDS.map((name) => `export const ${name} = ${code[name] ?? 'undefined'}`)
  return [...lines, `export default { ${FIELDS.join(', ')} }`, ''].join('\n')
}

function isLate(field: string): field is LateField {
  return ['src', 'captions', 'durationSeconds', 'bytes', 'sections'].includes(field)
}
