import { toSrt, toVtt } from '@svc-audio/core/subtitles'
import type { RecognitionFeature, RecognizedSegment, RecognizeOptions } from '@svc-audio/engine-ports'
import { DIARIZING_MODEL } from '../../domain/models.ts'
import { invalid } from '../../domain/service-error.ts'
import { readBoolean, type ReceivedUpload } from '../../http/uploads.ts'
import type { TimedTranscription, Utterance } from '../../use-cases/transcription/transcribe.ts'
import { MAX_KEYTERM_CHARACTERS, MAX_KEYTERM_WORDS, MAX_KEYTERMS } from '../../use-cases/transcription/rules.ts'
import { type Piece, timedPieces, wordsOfTurns } from './cue-times.ts'
import { primaryOf } from './languages.ts'
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
  /** The prompt as it was written, for a recognizer that takes one. @default none */
  readonly prompt?: string
  /** For a recognizer that takes it. @default none */
  readonly temperature?: number
  /** The first given language that the recognizer has, as a primary tag. @default none was given */
  readonly language?: string
  readonly ignored: readonly string[]
}

/** What the recognizers of the service know. */
export interface Recognizers {
  /** Their language, if they have one. */
  readonly language: string | undefined
  /** Whether they have a language, a primary tag. @default whether it is `language` */
  readonly recognizes?: (primary: string) => boolean
  /** Options that the one of a recording follows beyond the common ones. @default none */
  readonly features?: (options: Pick<RecognizeOptions, 'model' | 'language'>) => readonly RecognitionFeature[]
}

/**
 * Maps the fields of OpenAI's form to our names. Our own rules check the values.
 * @throws ServiceError for refused parameters, and for values that OpenAI does not have
 */
export function mapForm(
  fields: ReceivedUpload['fields'],
  { language, recognizes = (primary) => primary === language, features = () => [] }: Recognizers,
): MappedForm {
  const given = new Map(Object.entries(fields).map(([name, value]) => [baseOf(name), [value].flat()]))
  const model = oneOf(given, 'model')
  const ours = model === undefined ? undefined : modelOf(model)
  const format = formatOf(oneOf(given, 'response_format'))
  refuseSpeakers(given)
  const spoken = model !== undefined && namesSpeakers(model) && (format === 'srt' || format === 'vtt')
  const granularities = given.get('timestamp_granularities') ?? []
  checkGranularities(granularities)
  const languages = [...(given.get('language') ?? []), ...(given.get('languages') ?? [])]
  const spokenLanguage = languages.map(primaryOf).find((one) => one !== '' && recognizes(one))
  const followed = features({ model: ours, language: spokenLanguage })
  const prompt = followed.includes('prompt') ? oneOf(given, 'prompt') : undefined
  const terms = termsOf(given, ours, prompt !== undefined)
  const temperature = temperatureOf(oneOf(given, 'temperature'))
  const ignored = [
    ...ignoredOf([...given.keys()], TRANSCRIPTION_PARAMETERS),
    ...(terms.complete ? [] : ['prompt']),
    ...(temperature === undefined || followed.includes('temperature') ? [] : ['temperature']),
    ...(granularities.length > 0 && format !== 'verbose_json' ? ['timestamp_granularities'] : []),
    ...['language', 'languages'].filter((name) => !isSpoken(given.get(name), recognizes)),
  ]
  return {
    body: {
      model: ours,
      diarize: format === 'diarized_json' || spoken,
      stream: readBoolean(oneOf(given, 'stream')),
      keyterms: terms.keyterms,
    },
    format,
    words: granularities.includes('word'),
    segments: granularities.length === 0 || granularities.includes('segment'),
    ...(prompt === undefined ? {} : { prompt }),
    ...(temperature === undefined || !followed.includes('temperature') ? {} : { temperature }),
    ...(spokenLanguage === undefined ? {} : { language: spokenLanguage }),
    ignored,
  }
}

/** @throws ServiceError 400 `invalid_range` */
function temperatureOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const temperature = Number(text)
  if (temperature >= 0 && temperature <= 1) return temperature
  throw invalid('invalid_range', 'temperature', 'temperature must be a number from 0 to 1')
}

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

/** Collects keyterms: each keyword, and the short phrases of a prompt that the recognizer does not take itself. */
function termsOf(
  given: Given,
  model: string | undefined,
  isPrompted: boolean,
): { keyterms: readonly string[]; complete: boolean } {
  const keywords = given.get('keywords') ?? []
  if (isPrompted) return { keyterms: keywords, complete: true }
  const phrases = (given.get('prompt') ?? []).flatMap(phrasesOf)
  if (model !== DIARIZING_MODEL) return { keyterms: keywords, complete: phrases.length === 0 }
  const short = termsFor(phrases).slice(0, Math.max(0, MAX_KEYTERMS - keywords.length))
  return { keyterms: [...keywords, ...short], complete: short.length === phrases.length }
}

/** Returns the terms that the limits of keyterms allow. */
export function termsFor(phrases: readonly string[]): readonly string[] {
  return phrases.filter(isTerm).slice(0, MAX_KEYTERMS)
}

/** Returns the phrases of a prompt. */
export function phrasesOf(prompt: string): string[] {
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

/** The turns of speakers, or else the utterances, as pieces that begin and end with their words. */
export function cuesOf({ segments, utterances, words }: TimedTranscription): readonly Piece[] {
  if (segments === undefined) return piecesOf(utterances)
  return wordsOfTurns(segments, words).flatMap(([segment, own]) => timedPieces(segment, own))
}

/** Utterances with their times, as pieces that begin and end with their words. */
export function piecesOf(utterances: readonly Utterance[]): Piece[] {
  return utterances.flatMap(({ startSecond: start, endSecond: end, text, words = [] }) =>
    timedPieces({ start, end, text }, words),
  )
}

function diarizedBody(timed: TimedTranscription): object {
  const { text, durationSeconds, segments = [] } = timed
  return { task: 'transcribe', duration: rounded(durationSeconds), text, segments, usage: usageOf(timed) }
}

/** Scripts without spaces between sentences. */
const UNSPACED = /^[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Khmr}\p{scx=Laoo}\p{scx=Mymr}]/u

/** A segment of `verbose_json`. OpenAI's clients require every field: unmeasured ones are constants. */
export function verboseSegment({ text, startSecond, endSecond, measures = {} }: RecognizedSegment, id: number): object {
  return {
    id,
    seek: 0,
    start: startSecond,
    end: endSecond,
    // As Whisper's: clients join the segments without a space.
    text: UNSPACED.test(text) ? text : ` ${text}`,
    tokens: measures.tokens ?? [],
    temperature: measures.temperature ?? 0,
    avg_logprob: measures.meanLogProbability ?? 0,
    compression_ratio: measures.compressionRatio ?? 1,
    no_speech_prob: measures.noSpeechProbability ?? 0,
  }
}

/** The body of `verbose_json`. */
export function verboseBody(timed: TimedTranscription, shape: TranscriptShape, language: string | undefined): object {
  const { text, durationSeconds, utterances, words } = timed
  return {
    task: 'transcribe',
    language: languageName(timed.language ?? language),
    duration: rounded(durationSeconds),
    text,
    ...(shape.words
      ? { words: words.map(({ word, startSecond: start, endSecond: end }) => ({ word, start, end })) }
      : {}),
    ...(shape.segments ? { segments: utterances.map(verboseSegment) } : {}),
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
