import { ConfigurationError } from '@svc-audio/core'
import { createLexicon } from '@svc-audio/text/sentences'
import { FORMATS } from './audio/formats.ts'
import { canJoin, pieceFormatOf } from './join/create-joiner.ts'
import type { NarrationOptions } from './options.ts'

/** What is wrong with a value, as the rest of a sentence; `undefined` when nothing is. */
type Check = (value: unknown) => string | undefined

const text: Check = (value) =>
  typeof value === 'string' && value.trim() !== '' ? undefined : 'must be a text that is not empty'
const oneOf =
  (...values: readonly string[]): Check =>
  (value) =>
    typeof value === 'string' && values.includes(value) ? undefined : `must be one of ${values.join(', ')}`
const whole: Check = (value) =>
  typeof value === 'number' && Number.isInteger(value) && value > 0
    ? undefined
    : 'must be a whole number greater than 0'
const positive =
  (unit: string): Check =>
  (value) =>
    typeof value === 'number' && value > 0 ? undefined : `must be a number of ${unit} greater than 0`
const object: Check = (value) => (typeof value === 'object' && value !== null ? undefined : 'must be an object')
const globs: Check = (value) =>
  [value].flat().every((one) => text(one) === undefined) ? undefined : 'must be a glob, or a list of globs'
const texts: Check = (value) =>
  object(value) ??
  (Object.values(value ?? {}).some((one) => text(one)) ? 'must hold a voice id for each language' : undefined)
const lexicon: Check = (value) => {
  const isEntries =
    object(value) === undefined && Object.values(value ?? {}).every((terms) => texts(terms) === undefined)
  return isEntries ? undefined : "must be respellings by language, e.g. { '*': { nginx: 'engine x' } }"
}

/** Every option by its name. */
const CHECKS: Readonly<Record<keyof NarrationOptions, Check>> = {
  client: object,
  apiKey: text,
  baseUrl: text,
  endpoint: text,
  voice_id: text,
  voices: texts,
  model: text,
  response_format: oneOf(...Object.keys(FORMATS)),
  language: text,
  aigc_metadata: object,
  lexicon,
  segmentBy: oneOf('sentence', 'paragraph', 'section', 'page'),
  gapSeconds: (value) =>
    typeof value === 'number' && value >= 0 && value <= 10 ? undefined : 'must be a number of seconds from 0 to 10',
  encoder: (value) =>
    value === 'ffmpeg' || typeof value === 'function' ? undefined : "must be 'ffmpeg' or a function",
  include: globs,
  exclude: globs,
  defaults: (value) => (typeof value === 'function' ? undefined : 'must be a function of a file'),
  cacheDir: text,
  collect: (value) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
  mode: oneOf('auto', 'cache-only', 'dry-run', 'refresh'),
  maxCharacters: whole,
  pricePerMillion: positive('a currency'),
  onFailure: oneOf('error', 'warn', 'stale'),
  emit: oneOf('bundle', 'copy'),
  concurrency: whole,
  timeout: positive('milliseconds'),
}

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
  for (const [name, value] of Object.entries(options)) {
    const check = isOption(name) ? CHECKS[name] : undefined
    if (check === undefined) {
      throw new ConfigurationError(`narration(): ${name} is not an option: there are ${Object.keys(CHECKS).join(', ')}`)
    }
    const wrong = value === undefined ? undefined : check(value)
    if (wrong !== undefined) throw new ConfigurationError(`narration(): ${name} ${wrong}`)
  }
  if (options.lexicon !== undefined) createLexicon(options.lexicon)
  const { response_format, encoder, segmentBy } = options
  if (response_format === undefined || segmentBy === 'page') return
  if (!canJoin(pieceFormatOf(response_format, encoder !== undefined))) {
    throw new ConfigurationError(
      `narration(): response_format ${response_format} cannot be joined from segments: ` +
        "set encoder: 'ffmpeg', or segmentBy: 'page'",
    )
  }
}

function isOption(name: string): name is keyof NarrationOptions {
  return Object.hasOwn(CHECKS, name)
}
