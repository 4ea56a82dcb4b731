import { hash } from 'node:crypto'

/** A heading of a page, and its time. */
export interface NarrationSection {
  /** Text of the heading, without markup. */
  readonly title: string
  /** Level of the heading, 1 to 6. */
  readonly level: number
  /** Id of the heading, as in a link to it, where it is known. */
  readonly id: string | undefined
  /** Start of the heading, in seconds. */
  readonly startSecond: number
  /** Where the next section of any level begins, or the audio ends, in seconds. */
  readonly endSecond: number
}

/**
 * What an import with `?narrate` gives. The text is the named export `text` only, so that a page ships no text that it does
 * not ask for.
 */
export interface Narration {
  /**
   * Address of the audio: a hashed asset in a build; in dev, an address whose first request makes the audio.
   * Empty for a page without narration: one that is empty or skipped, or whose narration failed.
   */
  readonly src: string
  /** MIME type, e.g. `audio/mpeg`: for `<source type>`. */
  readonly type: string
  /**
   * Length of the audio in seconds. Always set in a build. In dev it is `undefined` until the first play; the next load
   * of the page has it.
   */
  readonly durationSeconds: number | undefined
  /** Size of the audio in bytes, for a feed. In dev, `undefined` until first play. */
  readonly bytes: number | undefined
  /** Characters that are spoken. */
  readonly characters: number
  /** Title of the page: of its front matter, else its first heading of level 1. */
  readonly title: string | undefined
  /** Language of the page, if set. */
  readonly language: string | undefined
  /** `guid` of the front matter: identifies the page in a feed, also after a rename. */
  readonly guid: string | undefined
  /**
   * Address of the captions (WebVTT): cues of at most two lines of 42 characters and 7 seconds. Empty for a page without
   * narration, and for a recording.
   */
  readonly captions: string
  /** The headings, in order. In dev the list is empty until the first play. */
  readonly sections: readonly NarrationSection[]
}

/** A narration of `virtual:narrations`. */
export interface ListedNarration extends Narration {
  /** The source, relative to Vite's root. */
  readonly file: string
}

/** The named exports of a narration module. */
export interface NarrationModule extends Narration {
  /** The spoken text as written. */
  readonly text: string
}

/** Fields of a narration that need its audio. */
const LATE = ['src', 'captions', 'durationSeconds', 'bytes', 'sections'] as const
type LateField = (typeof LATE)[number]

/** Fields that replace the placeholders of a narration. */
export type LateFields = Pick<Narration, LateField>

/** A narration without audio. */
export const SILENT: LateFields = { src: '', captions: '', durationSeconds: undefined, bytes: undefined, sections: [] }

const PLACEHOLDER = new RegExp(String.raw`__NARRATION_([\da-f]{16})_(${LATE.join('|')})__`, 'g')

/** Stands for a field in code until the audio exists. A word inside a string survives minifiers. */
export function placeholder(asset: string, field: LateField): string {
  return `__NARRATION_${asset}_${field}__`
}

/** The name of an asset: 16 hexadecimal digits. */
export function assetName(id: string): string {
  return hash('sha256', id).slice(0, 16)
}

/** The assets whose placeholders are in the code. */
export function assetsIn(code: string): Set<string> {
  if (!code.includes('__NARRATION_')) return new Set()
  return new Set([...code.matchAll(PLACEHOLDER)].map(([, asset = '']) => asset))
}

/** Replaces placeholders. Each value is safe inside any quotes. */
export function fillPlaceholders(code: string, fieldsOf: (asset: string) => LateFields): string {
  return code.replace(PLACEHOLDER, (_, asset: string, field: LateField) => {
    const value = fieldsOf(asset)[field]
    return typeof value === 'string' ? value : inString(value)
  })
}

/** JSON as the content of a string literal, whatever its quotes. */
function inString(value: unknown): string {
  return (JSON.stringify(value) ?? 'null').replace(/["'`\\$\u2028\u2029<>]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/**
 * The module of a narration in a build, with placeholders for fields that need audio. Each field is a named export: the
 * bundler drops unused fields, and a narration without a used placeholder makes no audio.
 */
export function plannedModule(asset: string, known: Omit<NarrationModule, LateField>): string {
  // `JSON.parse`: bundlers evaluate `Number()` of the placeholder to NaN.
  const late = LATE.map((field) => {
    const held = JSON.stringify(placeholder(asset, field))
    const isText = field === 'src' || field === 'captions'
    return [field, isText ? held : `/* @__PURE__ */ JSON.parse(${held}) ?? undefined`]
  })
  return moduleOf({ ...codeOf(known), ...Object.fromEntries(late) })
}

/** The module of a narration without placeholders. */
export function finishedModule(narration: NarrationModule): string {
  return moduleOf(codeOf(narration))
}

function codeOf(fields: object): Record<string, string> {
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
  'guid',
  'captions',
  'sections',
]

function moduleOf(code: Readonly<Record<string, string>>): string {
  const lines = FIELDS.map((name) => `export const ${name} = ${code[name] ?? 'undefined'}`)
  // Bundlers drop an unused export, but no unused property: the text of each page would reach every list of narrations.
  return [...lines, `export default { ${FIELDS.filter((name) => name !== 'text').join(', ')} }`, ''].join('\n')
}
