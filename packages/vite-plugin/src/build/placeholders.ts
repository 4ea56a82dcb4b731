import { createHash } from 'node:crypto'
import type { Narration } from '../narration.ts'

/** Fields of a narration that need its audio. */
export type LateField = 'src' | 'captions' | 'durationSeconds' | 'bytes' | 'sections'

/** The named exports of a narration module. */
export interface NarrationModule extends Narration {
  /** The spoken text as written. */
  readonly text: string
}

const PLACEHOLDER = /__NARRATION_([\da-f]{16})_(src|captions|durationSeconds|bytes|sections)__/g

/** Stands for a field in code until the audio exists. A word inside a string survives minifiers. */
export function placeholder(asset: string, field: LateField): string {
  return `__NARRATION_${asset}_${field}__`
}

/** The name of an asset: 16 hexadecimal digits. */
export function assetName(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 16)
}

/** The assets whose placeholders are in the code. */
export function plansIn(code: string): Set<string> {
  const assets = new Set<string>()
  if (!code.includes('__NARRATION_')) return assets
  for (const [, asset = ''] of code.matchAll(PLACEHOLDER)) assets.add(asset)
  return assets
}

/** Replaces placeholders. Each value must be safe inside any quotes. */
export function fillPlaceholders(code: string, valueOf: (asset: string, field: LateField) => string): string {
  return code.replace(PLACEHOLDER, (_, asset: string, field: string) => (isLate(field) ? valueOf(asset, field) : ''))
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
  asset: string,
  known: Pick<NarrationModule, 'type' | 'characters' | 'text' | 'title' | 'language'>,
): string {
  // `JSON.parse`: bundlers evaluate `Number()` of the placeholder to NaN.
  const late = (field: LateField): string =>
    `/* @__PURE__ */ JSON.parse(${JSON.stringify(placeholder(asset, field))}) ?? undefined`
  return moduleOf({
    src: JSON.stringify(placeholder(asset, 'src')),
    captions: JSON.stringify(placeholder(asset, 'captions')),
    durationSeconds: late('durationSeconds'),
    bytes: late('bytes'),
    sections: late('sections'),
    ...codeOf(known),
  })
}

/** The module of a narration without placeholders. */
export function finishedModule(narration: NarrationModule): string {
  return moduleOf(codeOf({ ...narration }))
}

function codeOf(fields: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, JSON.stringify(value) ?? 'undefined']))
}

/** Names of the exports, in order. */
const FIELDS: readonly (keyof NarrationModule)[] = [
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
  // Bundlers drop an unused export, but no unused property: the text of each page would reach every list of narrations.
  return [...lines, `export default { ${FIELDS.filter((name) => name !== 'text').join(', ')} }`, ''].join('\n')
}

function isLate(field: string): field is LateField {
  return ['src', 'captions', 'durationSeconds', 'bytes', 'sections'].includes(field)
}
