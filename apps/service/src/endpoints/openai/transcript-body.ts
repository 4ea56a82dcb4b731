import type { RecognizedSegment } from '@svc-audio/engine-ports'
import { toSrt, toVtt } from '@svc-audio/core/subtitles'
import type { TimedTranscription } from '../../use-cases/transcription/transcribe.ts'
import type { MappedForm, TranscriptFormat } from './transcription-form.ts'

/** A body and its media type. */
export interface TranscriptBody {
  readonly type: string
  readonly body: object | string
}

const JSON_TYPE = 'application/json; charset=utf-8'
const TEXT_TYPE = 'text/plain; charset=utf-8'

/** The parts of a form that shape its response. */
export type TranscriptShape = Pick<MappedForm, 'format' | 'words' | 'segments'>

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
