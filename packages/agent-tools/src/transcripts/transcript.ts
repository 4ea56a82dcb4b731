import { InvalidRequestError, ProtocolError, type TranscriptionSegment } from '@svc-audio/core'
import { renameSpeakers, toSrt, toVtt } from '@svc-audio/core/subtitles'
import { SpeechToolError } from '../errors/speech-tool-error.ts'
import type { StoredTranscript, TranscriptSource } from '../store/audio-store.ts'

/**
 * A service's answer or finished task as a transcript to store.
 * @throws ProtocolError when it has no text
 */
export function toTranscript(result: object, source: TranscriptSource): StoredTranscript {
  const text: unknown = Reflect.get(result, 'text')
  if (typeof text !== 'string') throw new ProtocolError('The transcription has no text')
  const duration: unknown = Reflect.get(result, 'duration')
  const segments = readSegments(result)
  return {
    status: 'ready',
    source,
    text,
    ...(typeof duration === 'number' ? { durationSeconds: duration } : {}),
    ...(segments.length > 0 ? { segments } : {}),
  }
}

/** The segments of a diarized result; none if the service sent none, or any that cannot be read. */
export function readSegments(result: object): readonly TranscriptionSegment[] {
  const segments: unknown = Reflect.get(result, 'segments')
  // All or none: a missing turn changes the meaning.
  return Array.isArray(segments) && segments.every(isSegment) ? segments : []
}

function isSegment(value: unknown): value is TranscriptionSegment {
  if (typeof value !== 'object' || value === null) return false
  const strings = ['type', 'id', 'text', 'speaker'].every((name) => typeof Reflect.get(value, name) === 'string')
  return strings && ['start', 'end'].every((name) => typeof Reflect.get(value, name) === 'number')
}

/** Whether nothing was said. */
export function isWordless({ text, segments = [] }: Pick<StoredTranscript, 'text' | 'segments'>): boolean {
  return segments.length === 0 && text.trim() === ''
}

/** A transcript as a model reads it best: a line for each turn where speakers are known, else the text. */
export function readableTranscript(text: string, segments: readonly TranscriptionSegment[] = []): string {
  if (isWordless({ text, segments })) return 'No words were recognized in this audio.'
  if (segments.length === 0) return text
  return speakerTurns(segments)
    .map(({ speaker, text: said }) => `${speaker}: ${said}`)
    .join('\n')
}

/** Consecutive segments of one speaker. */
export interface SpeakerTurn {
  /** Label of the speaker, as the service named it. */
  readonly speaker: string
  /** What was said, without the label. */
  readonly text: string
  /** Seconds from the start of the audio. */
  readonly start: number
  /** Seconds from the start of the audio. */
  readonly end: number
}

/** Neighbouring segments of one speaker as one turn. */
export function speakerTurns(segments: readonly TranscriptionSegment[]): readonly SpeakerTurn[] {
  const turns: SpeakerTurn[] = []
  for (const { speaker, text, start, end } of segments) {
    const last = turns.at(-1)
    if (last?.speaker === speaker) turns[turns.length - 1] = { ...last, text: `${last.text} ${text.trim()}`, end }
    else turns.push({ speaker, text: text.trim(), start, end })
  }
  return turns
}

/** Formats of subtitles. */
export const SUBTITLE_FORMATS = ['srt', 'vtt'] as const

/** A transcript with names in place of labels. @param names In the order in which the speakers first speak. */
export function withNames(transcript: StoredTranscript, names: readonly string[]): StoredTranscript {
  const labels = [...new Set(transcript.segments?.map(({ speaker }) => speaker))]
  const byLabel = labels.flatMap((label, index) => (names[index] === undefined ? [] : [[label, names[index]] as const]))
  return renameSpeakers(transcript, Object.fromEntries(byLabel))
}

/**
 * A transcript as subtitles.
 * @throws SpeechToolError `rejected` for a transcript without times
 */
export function asSubtitles(transcript: StoredTranscript, format: (typeof SUBTITLE_FORMATS)[number]): StoredTranscript {
  const { segments: _, ...rest } = transcript
  if (isWordless(transcript)) return rest
  try {
    return { ...rest, text: format === 'srt' ? toSrt(transcript) : toVtt(transcript) }
  } catch (error) {
    if (!InvalidRequestError.isInstance(error)) throw error
    const message = 'The service gave no times for this audio, so there are no subtitles. Ask for the text instead.'
    throw new SpeechToolError('rejected', message, { cause: error })
  }
}
