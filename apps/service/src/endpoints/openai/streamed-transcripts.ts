import { type CueOptions, type SubtitlePiece, toCues, toSrt, toVtt } from '@svc-audio/core/subtitles'
import type { RecognizedSegment } from '@svc-audio/engine-ports'
import { deltas, type StreamedWork } from '../../use-cases/transcription/stream.ts'
import type { TimedTranscription } from '../../use-cases/transcription/transcribe.ts'
import { cuesOf, type MappedForm, piecesOf, usageOf, verboseBody, verboseSegment } from './transcripts.ts'

/** The events of a streamed transcription. */
type StreamedEvents = Pick<StreamedWork<object>, 'eventsOfUtterance' | 'lastEvents'>

/**
 * Makes the events of a streamed transcription in its format: an event or more for each utterance, and the last event with
 * the whole.
 * @param language The language of the recognizer, if it has one.
 */
export function streamedTranscript(form: MappedForm, language: string | undefined): Required<StreamedEvents> {
  const { format, body } = form
  if (format === 'srt' || format === 'vtt') return streamedSubtitles(format, body.diarize)
  if (format === 'verbose_json') return streamedSegments(form, language)
  return { eventsOfUtterance: deltas(), lastEvents }
}

/** Returns the events after the whole recording: the turns of speakers, if they are separated, and the text. */
function lastEvents(timed: TimedTranscription): object[] {
  return [...(timed.segments ?? []), { type: 'transcript.text.done', text: timed.text, usage: usageOf(timed) }]
}

/**
 * Deltas that together are the file, which the last event has too. An utterance is told with the next one, because a short
 * cue lasts until then. Speakers are known only after the whole recording.
 */
function streamedSubtitles(format: 'srt' | 'vtt', hasSpeakers: boolean): Required<StreamedEvents> {
  const told: string[] = []
  let count = 0
  let held: readonly SubtitlePiece[] = []
  const tell = (pieces: readonly SubtitlePiece[], options: CueOptions = {}): object[] => {
    const isFirst = told.length === 0
    const numbered = (): string =>
      (isFirst ? '' : '\n') + toSrt(pieces, options).replaceAll(/^\d+\n(?=[\d:,]+ --> )/gm, () => `${(count += 1)}\n`)
    const plain = (): string => (isFirst ? toVtt(pieces, options) : toVtt(pieces, options).replace('WEBVTT\n', ''))
    const delta = format === 'srt' ? numbered() : plain()
    told.push(delta)
    return [{ type: 'transcript.text.delta', delta }]
  }
  return {
    eventsOfUtterance(utterance) {
      if (hasSpeakers) return []
      const before = held
      held = piecesOf([utterance])
      const cues = toCues([...before, ...held]).slice(0, toCues(before).length)
      // They have their times already.
      return cues.length === 0 ? [] : tell(cues, { minCueSeconds: 0 })
    },
    lastEvents(timed) {
      const rest = hasSpeakers || told.length === 0 ? cuesOf(timed) : held
      const last = told.length === 0 || toCues(rest).length > 0 ? tell(rest) : []
      return [...last, { type: 'transcript.text.done', text: told.join(''), usage: usageOf(timed) }]
    },
  }
}

/** A delta and a segment for each utterance. The last event has the other fields of `verbose_json`. */
function streamedSegments(form: MappedForm, language: string | undefined): Required<StreamedEvents> {
  const textOf = deltas()
  let id = -1
  return {
    eventsOfUtterance(utterance: RecognizedSegment) {
      id += 1
      return [...textOf(utterance), { type: 'transcript.text.segment', ...verboseSegment(utterance, id) }]
    },
    lastEvents: (timed) => [
      { type: 'transcript.text.done', ...verboseBody(timed, { ...form, segments: false }, language) },
    ],
  }
}
