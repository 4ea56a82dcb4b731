import { encodeWav, frameBytes } from '@svc-audio/core/audio'
import { wholeWav } from '../audio/wav.ts'
import { type Check, check } from '../check.ts'
import type { ApiResponse, Fields } from '../http/response.ts'
import { isFields } from '../http/response.ts'
import { ensure, NotChecked, NotSupported } from '../outcomes.ts'
import { AudioFile } from '../subject/audio-file.ts'
import { LINES, speechWav } from '../subject/fixtures.ts'
import { formatSample, SAMPLE_TEXT } from '../subject/format-samples.ts'
import { accept, plain } from '../subject/requests.ts'
import { shared } from '../subject/shared.ts'
import type { Subject } from '../subject/subject.ts'
import { finishedTask } from '../subject/tasks.ts'
import { dialogueOfTwo } from '../subject/voices.ts'
import { beginsLike } from '../audio/formats.ts'
import { requireHeard, requireSameWords } from '../subject/words.ts'
import { eventLayout, eventPcm, pcmLayout, streamedSpeech } from '../subject/streamed.ts'
import { longTaskAudio, longUrlAudio } from './results.ts'

/** Some recognizers read only the first 30 seconds. Silence costs a recognizer little. */
const HALF_A_MINUTE = 31

/** Transcribes audio with the server's own recognizer. */
async function hear(subject: Subject, audio: Uint8Array, model = 'transcribe-1.0'): Promise<Fields> {
  const file = new AudioFile(audio)
  return (await accept(subject, 'transcription', { file, model: subject.model(model) })).fields
}

const diarizedDialogue = shared(async (subject) =>
  hear(subject, await dialogueOfTwo(subject), 'transcribe-diarize-pro'),
)

/** Returns the segments of a diarized response. */
function segmentsOf(fields: Fields): Fields[] {
  const { segments } = fields
  return Array.isArray(segments) ? segments.filter(isFields) : []
}

const joined = (segments: readonly Fields[]): string => segments.map(({ text }) => String(text)).join(' ')

/** Returns every text in a value. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

function longest(texts: readonly string[]): string {
  return texts.toSorted((one, other) => other.length - one.length)[0] ?? ''
}

/** Requires the words of the shared speech in a response with `text`. */
function requireText(where: string, { fields }: ApiResponse): void {
  requireHeard(where, fields['text'], LINES)
}

async function tellsSpeakersApart(subject: Subject): Promise<void> {
  const segments = segmentsOf(await diarizedDialogue(subject))
  const labels = new Set(segments.map(({ speaker }) => speaker))
  ensure(labels.size === 2, `a dialogue of two voices has the speakers ${[...labels].join(', ')}`)
  const [first, last] = [segments[0]?.['speaker'], segments.at(-1)?.['speaker']]
  ensure(first !== last, `both lines of a dialogue have the speaker ${String(first)}`)
}

/** Checks that compare words. They need the server's recognizer. */
export const wordChecks: readonly Check[] = [
  check('transcription-result.text', 'the transcript has the words of the speech', async (subject) =>
    requireText('the transcript', await plain(subject, 'transcription')),
  ),
  check('transcription-result.text', 'the transcript has the words of a recording', async (subject) => {
    const { bytes, filename } = formatSample('wav')
    const { fields } = await accept(subject, 'transcription', { file: new AudioFile(bytes, filename) })
    requireHeard('the transcript', fields['text'], [SAMPLE_TEXT])
  }),
  check('transcription-result.text-form', 'the text form has the words of the speech', async (subject) => {
    requireHeard('the body', (await accept(subject, 'transcription', { response_format: 'text' })).text, LINES)
  }),
  check('transcription-result.diarized', 'the text has the words of the speech', async (subject) =>
    requireText('the response', await plain(subject, 'diarization')),
  ),
  check('transcription-result.segment-fields', 'the segments together have the words of the text', async (subject) => {
    const fields = await diarizedDialogue(subject)
    requireHeard('the list of segments', joined(segmentsOf(fields)), LINES)
    requireSameWords('text and segments', String(fields['text']), joined(segmentsOf(fields)))
  }),
  check('transcription-result.speaker-label', 'the two voices of a dialogue have two labels', tellsSpeakersApart),
  check('transcription.file-id', 'the transcript of a stored file has its words', async (subject) =>
    requireText('the transcript', await plain(subject, 'storedTranscription')),
  ),
  check('transcription.keyterms', 'a transcript with keyterms has the words of the speech', async (subject) =>
    requireText(
      'the transcript',
      await accept(subject, 'storedDiarization', { keyterms: ['morning train', 'station'] }),
    ),
  ),
  check('transcription.task-result', 'the finished task has the words of the speech', async (subject) => {
    const { last } = await finishedTask(subject, 'transcription')
    requireHeard('the task', longest(textsIn(last)), LINES)
  }),
  check('speech.input', 'the words of the input are heard', async (subject) =>
    requireText('the transcript of the speech', await plain(subject, 'transcription')),
  ),
  check('transcription-result.text', 'speech after half a minute of silence is heard', async (subject) => {
    const { samples: data, ...layout } = wholeWav(await speechWav(subject))
    const silence = new Uint8Array(HALF_A_MINUTE * layout.sampleRate * frameBytes(layout))
    const { text } = await hear(subject, encodeWav(layout, [silence, data]))
    requireHeard('the transcript', text, LINES)
  }),
  check('stream.input', 'the words of the input are heard', async (subject) => {
    const { raw } = await streamedSpeech(subject)
    const { text } = await hear(subject, encodeWav(pcmLayout(raw), [raw.bytes]))
    requireHeard('the transcript of the stream', text, LINES)
  }),
  check('speech-events.delta', 'the words of the input are heard', async (subject) => {
    const { events } = await streamedSpeech(subject)
    const { text } = await hear(subject, encodeWav(eventLayout(events), [eventPcm(events)]))
    requireHeard('the transcript of the events', text, LINES)
  }),
  check('speech.url-answer', 'the words of the input are heard at the URL', async (subject) => {
    const { text } = await hear(subject, await longUrlAudio(subject))
    requireHeard('the transcript of the file', text, LINES)
  }),
  check('speech.task-result', 'the words of the input are heard in the result of the task', async (subject) => {
    const { text } = await hear(subject, await longTaskAudio(subject))
    requireHeard('the transcript of the task', text, LINES)
  }),
  check('dialogue.segment-text', 'the words of every segment are heard, in order', async (subject) => {
    requireHeard('the transcript of the dialogue', (await diarizedDialogue(subject))['text'], LINES)
  }),
  check('voice-generation.input', 'the words of the input are heard', async (subject) => {
    const { bytes } = await accept(subject, 'generation', { input: LINES.join(' '), response_format: 'wav' }).catch(
      () => {
        throw new NotChecked('voice generation refuses response_format=wav')
      },
    )
    if (!beginsLike('wav', bytes)) throw new NotSupported('voice generation returns no WAV file')
    requireHeard('the transcript of the generated voice', (await hear(subject, bytes))['text'], LINES)
  }),
]
