import { encodeWav } from '@svc-audio/core/audio'
import { frameBytes } from '@svc-audio/core/adapter'
import { beginsLike, pitchOf, semitones, type Wav, wholeWav } from '../audio.ts'
import { check, type Check } from '../check.ts'
import { ensure, type Fields, isFields, NotChecked, NotSupported } from '../expect.ts'
import type { ApiResponse } from '../http/response.ts'
import { AudioFile, formatSample, LINES, SAID, SAMPLE_TEXT, speechWav } from '../subject/fixtures.ts'
import { accept, finishedTask, plain } from '../subject/requests.ts'
import { shared, type Subject } from '../subject/subject.ts'
import {
  dialogueOfTwo,
  eventLayout,
  eventPcm,
  hertz,
  namelessVoice,
  pair,
  pcmAsWav,
  requireHeard,
  requireSameWords,
  requireVoice,
  speechOf,
  streamedSpeech,
} from '../subject/listening.ts'
import { longTaskAudio, longUrlAudio } from './spoken.ts'

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
    const { text } = await hear(subject, pcmAsWav(raw))
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

/** Parts of the dialogue that belong to its first and its second line, whatever the pause between them. */
const FIRST_LINE = [0, 0.4] as const
const SECOND_LINE = [0.6, 1] as const

/** A designed voice of a deep man must be this much lower than one of a woman, in semitones. */
const DESIGNED_APART = 2

/** Generates a voice from an instruction. @throws NotChecked unless the server returns WAV */
async function designed(subject: Subject, instruction: string): Promise<number> {
  const { bytes } = await accept(subject, 'generation', { input: SAID, instruction, response_format: 'wav' })
  const pitch = pitchOf(wholeWav(bytes))
  if (pitch === undefined) throw new NotChecked(`the voice of “${instruction}” has no pitch`)
  return pitch
}

/** Checks that compare voices by their pitch. */
export const voiceHeardChecks: readonly Check[] = [
  check('speech.voice-id', 'the listed voices differ', async (subject) => {
    await pair(subject)
  }),
  check('dialogue.speaker-fields', 'each segment has the voice of its speaker', async (subject) => {
    const { low, high } = await pair(subject)
    const wav = wholeWav(await dialogueOfTwo(subject))
    requireVoice('the first line', wav, { own: low, other: high, part: FIRST_LINE })
    requireVoice('the second line', wav, { own: high, other: low, part: SECOND_LINE })
  }),
  check('dialogue.segment-speaker', 'a segment is spoken by the speaker that it names', async (subject) => {
    const { low, high } = await pair(subject)
    const speakers = [
      { id: 'one', voice_id: low.voiceId },
      { id: 'two', voice_id: high.voiceId },
    ]
    const segments = LINES.map((text, at) => ({ speaker: at === 0 ? 'two' : 'one', text }))
    const wav = wholeWav((await accept(subject, 'dialogue', { speakers, segments })).bytes)
    requireVoice('the first line', wav, { own: high, other: low, part: FIRST_LINE })
    requireVoice('the second line', wav, { own: low, other: high, part: SECOND_LINE })
  }),
  check('stream.voice-optional', 'a stream has the voice of its voice_id', async (subject) => {
    const { low, high } = await pair(subject)
    for (const [own, other] of [
      [low, high],
      [high, low],
    ] as const) {
      const response = await accept(subject, 'stream', { input: SAID, voice_id: own.voiceId, stream_format: 'audio' })
      const wav: Wav = wholeWav(pcmAsWav(response))
      requireVoice(`the stream of ${own.voiceId}`, wav, { own, other })
    }
  }),
  check('voice.id-use', 'a new voice sounds like its sample', async (subject) => {
    const { low, high } = await pair(subject)
    const voice = await namelessVoice(subject)
    requireVoice('the new voice', await speechOf(subject, String(voice['id'])), { own: high, other: low })
  }),
  check('voice-generation.instruction', 'a man is lower than a woman', async (subject) => {
    const man = await designed(subject, 'A calm old man with a deep voice')
    const woman = await designed(subject, 'A young woman with a bright, high voice')
    const apart = man < woman && semitones(man, woman) >= DESIGNED_APART
    ensure(apart, `a deep man speaks at ${hertz(man)}, a young woman at ${hertz(woman)}`)
  }),
]
