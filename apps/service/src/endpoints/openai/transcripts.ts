import { toSrt, toVtt } from '@svc-audio/core/subtitles'
import type { RecognizedSegment } from '@svc-audio/engine-ports'
import { DIARIZING_MODEL } from '../../domain/models.ts'
import { invalid } from '../../domain/service-error.ts'
import type { ReceivedUpload } from '../../http/uploads.ts'
import type { TimedTranscription } from '../../use-cases/transcription/transcribe.ts'
import { MAX_KEYTERM_CHARACTERS, MAX_KEYTERM_WORDS, MAX_KEYTERMS } from '../../use-cases/transcription/rules.ts'
import { ignoredOf, modelOf, namesSpeakers, TRANSCRIPTION_PARAMETERS } from './names.ts'

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

/** A body and its media type. */
interface TranscriptBody {
  readonly type: string
  readonly body: object | string
}

const JSON_TYPE = 'application/json; charset=utf-8'
const TEXT_TYPE = 'text/plain; charset=utf-8'

/** The parts of a form that shape its response. */
type TranscriptShape = Pick<MappedForm, 'format' | 'words' | 'segments'>

/**
 * Shapes a transcription as OpenAI does.
 * @param language The language of the recognizer, if it has one. A language that was heard overrides it.
 */
export function transcriptBody(
  timed: TimedTranscription,
  shape: TranscriptShape,
  language: string | undefined,
): TranscriptBody {
  return BODIES[shape.format](timed, shape, language)
}

type MakeBody = (timed: TimedTranscription, shape: TranscriptShape, language: string | undefined) => TranscriptBody

const BODIES: Readonly<Record<TranscriptFormat, MakeBody>> = {
  text: ({ text }) => ({ type: TEXT_TYPE, body: text }),
  srt: (timed) => ({ type: TEXT_TYPE, body: toSrt(cuesOf(timed)) }),
  vtt: (timed) => ({ type: 'text/vtt; charset=utf-8', body: toVtt(cuesOf(timed)) }),
  json: (timed) => ({ type: JSON_TYPE, body: { text: timed.text, usage: usageOf(timed) } }),
  diarized_json: (timed) => ({ type: JSON_TYPE, body: diarizedBody(timed) }),
  verbose_json: (...given) => ({ type: JSON_TYPE, body: verboseBody(...given) }),
}

/** Returns the length of the recording, which OpenAI counts in whole seconds. */
export function usageOf({ durationSeconds }: TimedTranscription): object {
  return { type: 'duration', seconds: Math.ceil(durationSeconds) }
}

/** A text with its time, in seconds. */
interface Piece {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The turns of speakers, or else the utterances. */
function cuesOf({ segments, utterances }: TimedTranscription): readonly Piece[] {
  return segments ?? piecesOf(utterances)
}

function piecesOf(utterances: readonly RecognizedSegment[]): Piece[] {
  return utterances.map(({ startSecond: start, endSecond: end, text }) => ({ start, end, text }))
}

function diarizedBody(timed: TimedTranscription): object {
  const { text, durationSeconds, segments = [] } = timed
  return { task: 'transcribe', duration: rounded(durationSeconds), text, segments, usage: usageOf(timed) }
}

/** What OpenAI measures of a segment and our recognizers do not: its clients require the fields. */
const UNMEASURED = { seek: 0, tokens: [], temperature: 0, avg_logprob: 0, compression_ratio: 1, no_speech_prob: 0 }

function verboseSegment({ start, end, text }: Piece, id: number): object {
  return { id, start, end, text, ...UNMEASURED }
}

function verboseBody(timed: TimedTranscription, shape: TranscriptShape, language: string | undefined): object {
  const { text, durationSeconds, utterances, words } = timed
  return {
    task: 'transcribe',
    language: languageName(timed.language ?? language),
    duration: rounded(durationSeconds),
    text,
    ...(shape.words
      ? { words: words.map(({ word, startSecond: start, endSecond: end }) => ({ word, start, end })) }
      : {}),
    ...(shape.segments ? { segments: piecesOf(utterances).map(verboseSegment) } : {}),
    usage: usageOf(timed),
  }
}

const languageNames = new Intl.DisplayNames(['en'], { type: 'language' })

/** OpenAI names a language in English, in lower case. */
function languageName(tag: string | undefined): string {
  return tag === undefined ? 'unknown' : (languageNames.of(tag) ?? tag).toLowerCase()
}

function rounded(seconds: number): number {
  return Math.round(1000 * seconds) / 1000
}
