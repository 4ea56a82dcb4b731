import { unknownName } from '@svc-audio/options'
import { FORMATS, isNarrationFormat, type NarrationFormat } from '../audio/formats.ts'
import { sourceKind, type SourceKind, type SourceKinds, SOURCE_EXTENSIONS } from '../source/source-kind.ts'
import { InvalidNarrationError } from './invalid-narration-error.ts'

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
 * Reads the query of an import, e.g. `voice=slt&narrate`.
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
    throw new InvalidNarrationError('`narrate` must be the last parameter: ?voice=…&narrate')
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
