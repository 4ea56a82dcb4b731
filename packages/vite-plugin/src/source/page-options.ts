import { unknownName } from '#options'
import { FORMATS, isNarrationFormat, type NarrationFormat } from '../audio/index.ts'
import { InvalidNarrationError } from '../errors.ts'
import type { SourceKind, SourceKinds } from '../options.ts'
import { SOURCE_EXTENSIONS, sourceKind } from './document.ts'

/** What an import asks for. */
export interface NarrationRequest {
  /** Absolute path of the source. */
  readonly file: string
  readonly kind: SourceKind
  readonly voice_id: string | undefined
  readonly model: string | undefined
  readonly response_format: NarrationFormat | undefined
}

const OPTIONS = ['voice_id', 'model', 'response_format']
/** What Vite itself puts into a query. */
const VITES_OWN = /^(?:t|v|import|lang\..+)$/

/**
 * Reads the query of an import, e.g. `voice_id=slt&narrate`.
 * @param file Absolute path of the source.
 * @param kinds Kinds of files with other extensions.
 * @throws InvalidNarrationError for a file that cannot be read aloud and for options that do not exist
 */
export function parseNarrationRequest(file: string, query: string, kinds: SourceKinds = {}): NarrationRequest {
  const kind = sourceKind(file, kinds)
  if (kind === undefined) {
    throw new InvalidNarrationError(
      `Only ${[...SOURCE_EXTENSIONS, ...Object.keys(kinds)].join(', ')} files can be narrated. ` +
        "Rename the file, or say how it is read: narration({ extensions: { '.ext': 'markdown' } })",
    )
  }
  const parameters = new URLSearchParams(query)
  for (const name of parameters.keys()) {
    if (name === 'narrate' || OPTIONS.includes(name) || VITES_OWN.test(name)) continue
    throw new InvalidNarrationError(unknownName(name, OPTIONS))
  }
  // TypeScript's wildcards of module names hold one `*`: an import with the marker elsewhere has no type.
  if ([...parameters.keys()].at(-1) !== 'narrate') {
    throw new InvalidNarrationError('`narrate` must be the last parameter: ?voice_id=…&narrate')
  }
  const response_format = optional(parameters, 'response_format')
  if (response_format !== undefined && !isNarrationFormat(response_format)) {
    const all = Object.keys(FORMATS).join(', ')
    throw new InvalidNarrationError(`?response_format must be one of ${all}, got ${response_format}`)
  }
  const [voice_id, model] = [optional(parameters, 'voice_id'), optional(parameters, 'model')]
  return { file, kind, voice_id, model, response_format }
}

function optional(parameters: URLSearchParams, name: string): string | undefined {
  const value = parameters.get(name)
  if (value?.trim() === '') throw new InvalidNarrationError(`?${name} is empty: give it a value or leave it out`)
  return value ?? undefined
}

/** Fields of the front matter that concern the narration. Other fields belong to the site. */
export interface NarrationFrontMatter {
  /** Read first, unless the page begins with it. */
  readonly title: string | undefined
  readonly voice_id: string | undefined
  readonly model: string | undefined
  readonly response_format: NarrationFormat | undefined
  /** Language of the text, e.g. `de-AT`: of `language`, else of `lang`, which site generators read. */
  readonly language: string | undefined
  /** Identifies the page for ever, for a feed. */
  readonly guid: string | undefined
  /** `true`: no narration. */
  readonly skip: boolean
  /** Respellings of terms, for this page. */
  readonly pronunciations: Readonly<Record<string, string>> | undefined
  /** A recording to use instead, relative to the source. */
  readonly audio: string | undefined
  /** Fields that resemble one of these, each with what it may mean. */
  readonly problems: readonly string[]
}

/** Fields that are written for one of the narration. They may belong to the site, so they are no error. */
const RESEMBLING: Readonly<Record<string, string>> = {
  voice: 'voice_id',
  voiceId: 'voice_id',
  format: 'response_format',
  pronunciation: 'pronunciations',
}

/** @throws InvalidNarrationError naming a field of the wrong type */
export function readFrontMatter(fields: Readonly<Record<string, unknown>>): NarrationFrontMatter {
  const skip = fields['skip'] ?? false
  const response_format = text(fields, 'response_format')
  if (response_format !== undefined && !isNarrationFormat(response_format)) {
    const all = Object.keys(FORMATS).join(', ')
    throw new InvalidNarrationError(`response_format in the front matter must be one of ${all}, got ${response_format}`)
  }
  if (typeof skip !== 'boolean') throw new InvalidNarrationError('skip in the front matter must be true or false')
  return {
    // A numeric title is read as written. Other types belong to the site.
    title: fields['title'] === undefined || fields['title'] === null ? undefined : spelled(fields['title']),
    voice_id: text(fields, 'voice_id'),
    model: text(fields, 'model'),
    language: text(fields, 'language') ?? text(fields, 'lang'),
    response_format,
    guid: spelled(fields['guid']),
    problems: Object.entries(RESEMBLING).flatMap(([name, right]) =>
      fields[name] === undefined ? [] : [`\`${name}\` in the front matter is not read: did you mean \`${right}\`?`],
    ),
    skip,
    audio: text(fields, 'audio'),
    pronunciations: respellings(fields['pronunciations']),
  }
}

function text(fields: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = fields[name]
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string' && value.trim() !== '') return value.trim()
  throw new InvalidNarrationError(`${name} in the front matter must be a text. Give it a value, or remove it`)
}

function respellings(value: unknown): Readonly<Record<string, string>> | undefined {
  if (value === undefined || value === null) return undefined
  const entries = typeof value === 'object' && !Array.isArray(value) ? Object.entries(value) : undefined
  const terms = entries?.flatMap(([term, spoken]: [string, unknown]) =>
    typeof spoken === 'string' && spoken.trim() !== '' && term.trim() !== '' ? [[term, spoken] as const] : [],
  )
  if (terms !== undefined && terms.length === entries?.length) return Object.fromEntries(terms)
  throw new InvalidNarrationError(
    'pronunciations in the front matter must be a respelling for each term. Write, for example, `nginx: engine x` below it',
  )
}

function spelled(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value.trim()
  return typeof value === 'number' ? String(value) : undefined
}
