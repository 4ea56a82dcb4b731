import { createHash } from 'node:crypto'
import type { Narration } from '../narration.ts'

/** Fields of a narration that need its audio. */
export type LateField = 'src' | 'captions' | 'durationSeconds' | 'bytes' | 'sections'

const PLACEHOLDER = /__NARRATION_([\da-f]{16})_(src|captions|durationSeconds|bytes|sections)__/g

/** Stands for a field in code until the audio exists. A word inside a string survives minifiers. */
export function placeholder(plan: string, field: LateField): string {
  return `__NARRATION_${plan}_${field}__`
}

/** The name of a plan: 16 hexadecimal digits. */
export function planName(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 16)
}

/** The plans whose placeholders are in the code. */
export function plansIn(code: string): Set<string> {
  const plans = new Set<string>()
  if (!code.includes('__NARRATION_')) return plans
  for (const [, plan = ''] of code.matchAll(PLACEHOLDER)) plans.add(plan)
  return plans
}

/** Replaces placeholders. Each value must be safe inside any quotes. */
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
 * The module of a narration in a build, with placeholders for fields that need audio. Each field is a named export: the
 * bundler drops unused fields, and a narration without a used placeholder makes no audio.
 */
export function plannedModule(
  plan: string,
  known: Pick<Narration, 'type' | 'characters' | 'text' | 'title' | 'language'>,
): string {
  // `JSON.parse`: bundlers evaluate `Number()` of the placeholder to NaN.
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

/** The module of a narration without placeholders. */
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
