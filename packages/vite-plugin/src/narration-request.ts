import { FORMATS, isNarrationFormat, type NarrationFormat } from './audio/formats.ts'
import { InvalidNarrationError } from './invalid-narration-error.ts'
import { sourceKind, type SourceKind, SOURCE_EXTENSIONS } from './text/extract-text.ts'

/** Ids of modules that are narrations: `narrate` is a whole word of the query. */
export const NARRATION_ID: RegExp = /[?&]narrate(?:[=&]|$)/

/** What an import asks for. */
export interface NarrationRequest {
  /** Absolute path of the source. */
  readonly file: string
  readonly kind: SourceKind
  readonly voice: string | undefined
  readonly model: string | undefined
  readonly format: NarrationFormat | undefined
}

const OPTIONS = ['voice', 'model', 'format']
/** What Vite itself puts into a query. */
const VITES_OWN = /^(?:t|v|import|lang\..+)$/

/**
 * Takes the id of a narration apart, e.g. `/site/post.md?voice=slt&narrate`.
 * @throws InvalidNarrationError for a file that cannot be read aloud and for options that do not exist
 */
export function parseNarrationId(id: string): NarrationRequest {
  const [file = '', query = ''] = id.split('?', 2)
  const kind = sourceKind(file)
  if (kind === undefined) {
    throw new InvalidNarrationError(`Only ${SOURCE_EXTENSIONS.join(', ')} files can be narrated`)
  }
  const parameters = new URLSearchParams(query)
  for (const name of parameters.keys()) {
    if (name === 'narrate' || OPTIONS.includes(name) || VITES_OWN.test(name)) continue
    throw new InvalidNarrationError(`?${name} is not an option of a narration: there are ${OPTIONS.join(', ')}`)
  }
  const format = optional(parameters, 'format')
  if (format !== undefined && !isNarrationFormat(format)) {
    throw new InvalidNarrationError(`?format must be one of ${Object.keys(FORMATS).join(', ')}`)
  }
  return { file, kind, voice: optional(parameters, 'voice'), model: optional(parameters, 'model'), format }
}

function optional(parameters: URLSearchParams, name: string): string | undefined {
  const value = parameters.get(name)
  if (value?.trim() === '') throw new InvalidNarrationError(`?${name} is empty: give it a value or leave it out`)
  return value ?? undefined
}
