import { inspect } from 'node:util'
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
const object: Check = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? undefined : 'must be an object'
/** An object with certain fields, each of its own kind. */
const fields =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value) => {
    const wrong = object(value)
    if (wrong !== undefined) return wrong
    for (const [name, field] of Object.entries(value ?? {})) {
      const check = Object.hasOwn(checks, name) ? checks[name] : undefined
      if (check === undefined) return `has no field ${name}: there are ${Object.keys(checks).join(', ')}`
      const fault = field === undefined ? undefined : check(field)
      if (fault !== undefined) return `.${name} ${fault}`
    }
    return undefined
  }
const flag: Check = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false')
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
  aigc_metadata: fields({ enabled: flag, content_propagator: text, propagate_id: text }),
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
  collect: flag,
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
    if (wrong !== undefined) throw new ConfigurationError(`narration(): ${sentence(name, wrong)}${got(name, value)}`)
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

/** What {@link NarrationOptions.defaults} may give. */
const DEFAULTS_CHECK = fields({
  voice_id: text,
  model: text,
  response_format: oneOf(...Object.keys(FORMATS)),
  language: text,
  skip: flag,
})

/** What is wrong with what `defaults` gave for a file, in a sentence; `undefined` when nothing is. */
export function faultInDefaults(given: unknown): string | undefined {
  const wrong = given === undefined ? undefined : DEFAULTS_CHECK(given)
  return wrong === undefined ? undefined : sentence('defaults()', wrong)
}

/** A fault of a field begins with a point: `defaults().skip must be …`. */
function sentence(name: string, fault: string): string {
  return fault.startsWith('.') ? name + fault : `${name} ${fault}`
}

/** The wrong value, where it is short and no secret. */
function got(name: string, value: unknown): string {
  if (name === 'apiKey' || (typeof value === 'object' && value !== null)) return ''
  return `, got ${inspect(value).slice(0, 60)}`
}

function isOption(name: string): name is keyof NarrationOptions {
  return Object.hasOwn(CHECKS, name)
}
