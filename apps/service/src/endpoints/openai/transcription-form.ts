import { invalid } from '../../domain/service-error.ts'
import type { ReceivedUpload } from '../../http/receive-upload.ts'
import { DIARIZING_MODEL } from '../../domain/models.ts'
import {
  MAX_KEYTERM_CHARACTERS,
  MAX_KEYTERM_WORDS,
  MAX_KEYTERMS,
} from '../../use-cases/transcription/transcription-rules.ts'
import { modelOf, namesSpeakers } from './names.ts'
import { ignoredOf, TRANSCRIPTION_PARAMETERS } from './parameters.ts'

/** The formats of OpenAI's transcriptions. */
export const TRANSCRIPT_FORMATS = ['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'] as const

/** One of {@link TRANSCRIPT_FORMATS}. */
export type TranscriptFormat = (typeof TRANSCRIPT_FORMATS)[number]

/** The fields of a form, mapped to our own fields and to the format of the response. */
export interface MappedForm {
  /** The body of our own transcription. */
  readonly body: {
    readonly model: string | undefined
    readonly diarize: boolean
    readonly stream: unknown
    readonly keyterms: readonly string[]
  }
  readonly format: TranscriptFormat
  readonly words: boolean
  readonly segments: boolean
  /** The first given language that the recognizer has, as a primary tag. @default none was given */
  readonly language?: string
  readonly ignored: readonly string[]
}

/**
 * Maps the fields of OpenAI's form to our names. Our own rules check the values.
 * @param language The language of the recognizer, if it has one.
 * @param recognizes Whether the recognizer has a language, a primary tag. @default whether it is `language`
 * @throws ServiceError for refused parameters, and for values that OpenAI does not have
 */
export function mapForm(
  fields: ReceivedUpload['fields'],
  language: string | undefined,
  recognizes: (primary: string) => boolean = (primary) => primary === language,
): MappedForm {
  const given = new Map(Object.entries(fields).map(([name, value]) => [baseOf(name), [value].flat()]))
  const model = oneOf(given, 'model')
  const ours = model === undefined ? undefined : modelOf(model)
  const format = formatOf(oneOf(given, 'response_format'))
  refuseSpeakers(given)
  const stream = oneOf(given, 'stream')
  if (stream === 'true' && !STREAMED.has(format)) {
    throw invalid(
      'unsupported_with_stream',
      'response_format',
      `response_format ${format} cannot be combined with stream`,
    )
  }
  const spoken = model !== undefined && namesSpeakers(model) && (format === 'srt' || format === 'vtt')
  const terms = termsOf(given, ours)
  const granularities = given.get('timestamp_granularities') ?? []
  checkGranularities(granularities)
  const ignored = [
    ...ignoredOf([...given.keys()], TRANSCRIPTION_PARAMETERS),
    ...(terms.complete ? [] : ['prompt']),
    ...(granularities.length > 0 && format !== 'verbose_json' ? ['timestamp_granularities'] : []),
    ...['language', 'languages'].filter((name) => !isSpoken(given.get(name), recognizes)),
  ]
  const languages = [...(given.get('language') ?? []), ...(given.get('languages') ?? [])]
  const spokenLanguage = languages.map(primaryOf).find((one) => one !== '' && recognizes(one))
  return {
    body: {
      model: ours,
      diarize: format === 'diarized_json' || spoken,
      stream: stream === 'true' ? true : stream === 'false' ? false : stream,
      keyterms: terms.keyterms,
    },
    format,
    words: granularities.includes('word'),
    segments: granularities.length === 0 || granularities.includes('segment'),
    ...(spokenLanguage === undefined ? {} : { language: spokenLanguage }),
    ignored,
  }
}

/** Formats whose events OpenAI has. */
const STREAMED: ReadonlySet<TranscriptFormat> = new Set(['json', 'text', 'diarized_json'])

type Given = ReadonlyMap<string, readonly string[]>

/** The name of a parameter: `include[]` and `chunking_strategy[type]` are parts of one. */
function baseOf(field: string): string {
  return field.split('[', 1)[0] ?? field
}

function oneOf(given: Given, name: string): string | undefined {
  const values = given.get(name) ?? []
  if (values.length > 1) throw invalid('invalid_type', name, `${name} must be one string`)
  return values[0] === '' ? undefined : values[0]
}

function formatOf(format: string = 'json'): TranscriptFormat {
  const known = TRANSCRIPT_FORMATS.find((one) => one === format)
  if (known !== undefined) return known
  const message = `response_format must be one of ${TRANSCRIPT_FORMATS.join(', ')}`
  throw invalid('unsupported_response_format', 'response_format', message)
}

function checkGranularities(granularities: readonly string[]): void {
  if (granularities.every((one) => one === 'word' || one === 'segment')) return
  throw invalid('invalid_value', 'timestamp_granularities', 'timestamp_granularities must be word or segment')
}

/** A client that names speakers expects these names in the segments. */
function refuseSpeakers(given: Given): void {
  const name = ['known_speaker_names', 'known_speaker_references'].find((one) => given.has(one))
  if (name === undefined) return
  const message = `${name} is not supported: leave it out, and speakers are labelled S01, S02`
  throw invalid('unsupported_field', name, message)
}

/** Collects keyterms: each keyword, and the short phrases of the prompt. */
function termsOf(given: Given, model: string | undefined): { keyterms: readonly string[]; complete: boolean } {
  const keywords = given.get('keywords') ?? []
  const phrases = (given.get('prompt') ?? []).flatMap(phrasesOf)
  if (model !== DIARIZING_MODEL) return { keyterms: keywords, complete: phrases.length === 0 }
  const short = phrases.filter(isTerm).slice(0, Math.max(0, MAX_KEYTERMS - keywords.length))
  return { keyterms: [...keywords, ...short], complete: short.length === phrases.length }
}

function phrasesOf(prompt: string): string[] {
  return prompt
    .split(/[,;:!?\n]|\.(?=\s|$)/)
    .map((phrase) => phrase.trim())
    .filter((phrase) => phrase !== '')
}

function isTerm(phrase: string): boolean {
  return phrase.length <= MAX_KEYTERM_CHARACTERS && phrase.split(/\s+/).length <= MAX_KEYTERM_WORDS
}

/** Whether the recognizer has one of the languages. No language at all is any. */
function isSpoken(languages: readonly string[] | undefined, recognizes: (primary: string) => boolean): boolean {
  if (languages === undefined || languages.every((one) => one === '')) return true
  return languages.some((one) => recognizes(primaryOf(one)))
}

function primaryOf(language: string): string {
  return language.toLowerCase().split(/[-_]/, 1)[0] ?? ''
}
