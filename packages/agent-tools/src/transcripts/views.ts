import { InvalidRequestError } from '@svc-audio/core'
import { renameSpeakers, toSrt, toVtt } from '@svc-audio/core/subtitles'
import { SpeechToolError } from '../errors/speech-tool-error.ts'
import { isWordless } from './transcript.ts'
import type { StoredTranscript } from './transcript-store.ts'

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
