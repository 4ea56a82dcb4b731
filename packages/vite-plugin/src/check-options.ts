import { ConfigurationError } from '@svc-audio/core'
import {
  callback,
  describeFault,
  fields,
  findOptionFault,
  flag,
  integer,
  object,
  oneOf,
  optional,
  type OptionRule,
  positive,
  secret,
  text,
} from '@svc-audio/options'
import { checkSpokenText, createLexicon, TextOptionError } from '@svc-audio/text/sentences'
import { FORMATS } from './audio/formats.ts'
import type { NarrationOptions } from './options.ts'

const globs: OptionRule = (value) =>
  [value].flat().every((one) => text(one) === undefined) ? undefined : 'must be a glob, or a list of globs'
const texts: OptionRule = (value) =>
  object(value) ??
  (Object.values(value ?? {}).some((one) => text(one) !== undefined)
    ? 'must hold a voice id for each language'
    : undefined)
const KINDS = oneOf(['markdown', 'mdx', 'html', 'plain'])
const lexicon: OptionRule = (value) => {
  const isEntries =
    object(value) === undefined && Object.values(value ?? {}).every((terms) => texts(terms) === undefined)
  return isEntries ? undefined : "must be respellings by language, e.g. { '*': { nginx: 'engine x' } }"
}

/** Every option by its name. */
const RULES: Readonly<Record<keyof NarrationOptions, OptionRule>> = {
  client: object,
  apiKey: secret,
  baseUrl: text,
  endpoint: text,
  voice_id: text,
  voices: texts,
  model: text,
  response_format: oneOf(Object.keys(FORMATS)),
  language: text,
  aigc_metadata: fields({ enabled: optional(flag), content_propagator: optional(text), propagate_id: optional(text) }),
  lexicon,
  text: object,
  extensions: (value) => {
    const isKinds =
      object(value) === undefined &&
      Object.entries(value ?? {}).every(([name, kind]) => /^\.[^/\\]+$/.test(name) && KINDS(kind) === undefined)
    return isKinds ? undefined : "must be 'markdown', 'mdx', 'html' or 'plain' by extension, e.g. { '.page': 'html' }"
  },
  lists: oneOf(['items', 'together']),
  segmentBy: oneOf(['sentence', 'paragraph', 'section', 'page']),
  gapSeconds: (value) =>
    typeof value === 'number' && value >= 0 && value <= 10 ? undefined : 'must be a number of seconds from 0 to 10',
  loudness: (value) =>
    value === 'service' || (typeof value === 'number' && value >= -40 && value <= -5)
      ? undefined
      : "must be a number of LUFS from -40 to -5, or 'service'",
  encoder: (value) =>
    value === 'ffmpeg' || typeof value === 'function' ? undefined : "must be 'ffmpeg' or a function",
  include: globs,
  pages: globs,
  exclude: globs,
  defaults: callback,
  cacheDir: text,
  collect: flag,
  mode: oneOf(['auto', 'cache-only', 'dry-run', 'refresh']),
  maxCharacters: integer(1),
  pricePerMillion: positive('a currency'),
  report: text,
  onFailure: oneOf(['error', 'warn', 'stale']),
  emit: oneOf(['bundle', 'copy']),
  concurrency: integer(1),
  timeout: positive('milliseconds'),
}

const OPTIONAL_RULES = Object.fromEntries(Object.entries(RULES).map(([name, rule]) => [name, optional(rule)]))

/**
 * Checks what does not depend on Vite.
 * @throws ConfigurationError naming the option, also one that does not exist
 */
export function checkOptions(options: NarrationOptions): void {
  if (typeof options !== 'object' || options === null) {
    throw new ConfigurationError("narration() needs options: narration({ voice_id: '…' })")
  }
  if (options.voice_id === undefined) {
    throw new ConfigurationError('narration(): voice_id is missing: name the voice that reads')
  }
  const found = findOptionFault(options, OPTIONAL_RULES, 'narration()')
  if (found !== undefined) throw new ConfigurationError(found.message)
  if (options.lexicon !== undefined) createLexicon(options.lexicon)
  if (options.text !== undefined) checkText(options.text)
}

function checkText(spoken: object): void {
  try {
    checkSpokenText(spoken)
  } catch (error) {
    if (!TextOptionError.isInstance(error)) throw error
    throw new ConfigurationError(`narration(): in \`text\`: ${error.message}`, { cause: error })
  }
}

/** What {@link NarrationOptions.defaults} may give. */
const DEFAULTS_RULE = optional(
  fields({
    voice_id: optional(text),
    model: optional(text),
    response_format: optional(oneOf(Object.keys(FORMATS))),
    language: optional(text),
    skip: optional(flag),
  }),
)

/** What is wrong with what `defaults` gave for a file, in a sentence; `undefined` when nothing is. */
export function faultInDefaults(given: unknown): string | undefined {
  return describeFault('defaults()', DEFAULTS_RULE, given)
}
