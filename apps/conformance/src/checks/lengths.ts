import { beginsLike, requireSound, secondsOf, wholeWav } from '../audio.ts'
import { pcmSeconds } from '@svc-audio/core/audio'
import { type Check, check } from '../check.ts'
import { ensure, NotChecked } from '../expect.ts'
import { LINES, SAID, voiceId } from '../subject/fixtures.ts'
import { accepted } from '../http/api.ts'
import { accept, finishedTask, plain, send } from '../subject/requests.ts'
import { eventLayout, eventPcm, pcmAsWav, pcmDuration, speechOf, streamedSpeech } from '../subject/listening.ts'
import type { Subject } from '../subject/subject.ts'
import { download, longTaskAudio, longUrlAudio, samples, type Spoken, urlResult } from './spoken.ts'

/** Seconds per word of intelligible speech. */
const FASTEST = 0.12
const SLOWEST = 1.2

/** A text of more than 1,000 characters. */
const REPEATED = 16
const LONG_TEXT = Array.from({ length: REPEATED }, () => SAID).join(' ')

/** Largest accepted difference of two renderings of one text: their share, or half a second of padding. */
const SHARE = 0.25
const PADDING = 0.5

/** @throws Violation unless both durations are nearly the same */
function requireLength(where: string, seconds: number, wanted: number, share = SHARE): void {
  const near = Math.abs(seconds - wanted) <= Math.max(PADDING, share * wanted)
  ensure(near, `${where} lasts ${seconds.toFixed(2)} s, not ${wanted.toFixed(2)} s`)
}

async function wavSeconds(subject: Subject, input: string): Promise<number> {
  return wholeWav((await accept(subject, 'speech', { input })).bytes).seconds
}

/** Checks that the MP3 and the WAV file of one text have the same duration. */
function formatsLastAsLong(rule: string, name: Spoken): Check {
  return check(rule, 'the mp3 response lasts as long as the wav response', async (subject) => {
    const changes = name === 'speech' ? { input: SAID } : {}
    const [mp3, wav] = [
      await accept(subject, name, { ...changes, response_format: 'mp3' }),
      await accept(subject, name, { ...changes, response_format: 'wav' }),
    ]
    requireLength('the mp3 response', await secondsOf('the mp3 response', mp3.bytes), wholeWav(wav.bytes).seconds)
  })
}

/** Checks that the file at a result's URL has the whole dialogue. */
function urlLastsAsLong(rule: string, name: 'dialogue'): Check {
  return check(rule, 'the audio at the URL lasts as long as the audio response', async (subject) => {
    const file = await download(subject, (await urlResult(subject, name, 'wav'))['url'])
    requireLength('the file', await secondsOf('the file', file), wholeWav((await plain(subject, name)).bytes).seconds)
  })
}

/** Checks that a file of {@link SAID} has all of it. */
function lastsAsLong(rule: string, says: string, fileOf: (subject: Subject) => Promise<Uint8Array>): Check {
  return check(rule, says, async (subject) => {
    const { seconds } = await speechOf(subject)
    requireLength('the file', await secondsOf('the file', await fileOf(subject)), seconds)
  })
}

/** Checks the audio of a finished task. The interface does not show its result fields, so a `url` is not required. */
function taskLastsAsLong(rule: string, name: 'dialogue' | 'generation'): Check {
  return check(rule, 'the audio of the task lasts as long as the audio response', async (subject) => {
    const { url } = (await finishedTask(subject, name)).last
    if (typeof url !== 'string') throw new NotChecked('the finished task has no url')
    const [file, { bytes }] = [await download(subject, url), await plain(subject, name)]
    requireLength('the file', await secondsOf('the file', file), await secondsOf('the audio response', bytes))
  })
}

async function segmentsAddUp(subject: Subject): Promise<void> {
  const one = await voiceId(subject)
  const speakers = [{ id: 'one', voice_id: one }]
  const segments = LINES.map((text) => ({ speaker: 'one', text }))
  const { seconds } = wholeWav((await accept(subject, 'dialogue', { speakers, segments })).bytes)
  const lines = [await wavSeconds(subject, LINES[0]), await wavSeconds(subject, LINES[1])]
  const sum = lines.reduce((total, line) => total + line, 0)
  requireLength('the dialogue', seconds, sum, 0.35)
}

/** Sends texts of rising length at once. A response to another request has another duration. */
async function ownAudio(subject: Subject): Promise<void> {
  const texts = [1, 3, 6, 10].map((count) => Array.from({ length: count }, () => 'Good morning.').join(' '))
  const responses = await Promise.all(texts.map((input) => send(subject, 'speech', { input })))
  const lengths = responses.map((response) => wholeWav(accepted(response).bytes).seconds)
  const rises = lengths.every((seconds, at) => at === 0 || seconds > Number(lengths[at - 1]))
  ensure(rises, `texts of 2, 6, 12 and 20 words that are sent at once take ${lengths.join(', ')} s`)
}

/** Checks that compare durations and samples. */
export const lengthChecks: readonly Check[] = [
  check('speech.input', 'the audio lasts as long as its words need', async (subject) => {
    const { seconds } = await speechOf(subject)
    const perWord = seconds / SAID.split(' ').length
    ensure(perWord > FASTEST && perWord < SLOWEST, `a word takes ${perWord.toFixed(2)} s`)
  }),
  check('speech.input', 'two sentences last as long as each of them alone', async (subject) => {
    const [first, second, both] = [
      await wavSeconds(subject, LINES[0]),
      await wavSeconds(subject, LINES[1]),
      await wavSeconds(subject, SAID),
    ]
    requireLength('the speech', both, first + second)
  }),
  formatsLastAsLong('speech.response-format', 'speech'),
  formatsLastAsLong('dialogue.response-format', 'dialogue'),
  lastsAsLong('speech.url-answer', 'the audio at the URL lasts as long as the audio response', longUrlAudio),
  urlLastsAsLong('dialogue.delivery-method', 'dialogue'),
  lastsAsLong('speech.task-result', 'the audio of the task lasts as long as the audio response', longTaskAudio),
  taskLastsAsLong('dialogue.async', 'dialogue'),
  taskLastsAsLong('voice-generation.async', 'generation'),
  check('speech.audio-answer', 'the audio is not silent', async (subject) => {
    requireSound('the speech', await speechOf(subject))
  }),
  check('stream.pcm-answer', 'the audio is not silent', async (subject) => {
    const { raw } = await streamedSpeech(subject)
    requireSound('the stream', wholeWav(pcmAsWav(raw)))
  }),
  check('dialogue.segment-text', 'the audio is not silent', async (subject) => {
    requireSound('the dialogue', wholeWav((await plain(subject, 'dialogue')).bytes))
  }),
  check('speech.input', 'a long text is spoken to its end', async (subject) => {
    const { seconds } = await speechOf(subject)
    const response = await send(subject, 'speech', { input: LONG_TEXT })
    // The interface does not show the longest text. A refusal tells the caller; a cut does not.
    if (!response.accepted) throw new NotChecked(`the server refuses ${LONG_TEXT.length} characters`)
    requireLength(`a text of ${LONG_TEXT.length} characters`, wholeWav(response.bytes).seconds, REPEATED * seconds)
  }),
  check('stream.input', 'a long text is spoken to its end', async (subject) => {
    const { raw } = await streamedSpeech(subject)
    const changes = { input: LONG_TEXT, voice_id: await voiceId(subject), stream_format: 'audio' }
    const response = await send(subject, 'stream', changes)
    if (!response.accepted) throw new NotChecked(`the server refuses ${LONG_TEXT.length} characters`)
    const wanted = REPEATED * pcmDuration(raw)
    requireLength('the stream', pcmDuration(response), wanted)
  }),
  check('speech.input', 'texts that are sent at once get their own audio', ownAudio),
  check('speech-events.delta', 'the deltas have the samples of the raw stream', async (subject) => {
    // Only a server that gives equal audio to equal requests can be compared.
    await samples(subject)
    const { raw, events } = await streamedSpeech(subject)
    ensure(Buffer.compare(raw.bytes, eventPcm(events)) === 0, 'the deltas have other samples than the raw stream')
  }),
  check('dialogue.segment-text', 'a dialogue lasts as long as its segments', segmentsAddUp),
  check('stream.pcm-answer', 'the PCM is samples alone, without the header of a file', async (subject) => {
    const { raw, events } = await streamedSpeech(subject)
    for (const bytes of [raw.bytes, eventPcm(events)]) {
      const header = (['wav', 'mp3'] as const).find((format) => beginsLike(format, bytes))
      // Two bytes of MP3 frames may occur in samples: only a text signature counts.
      const hasText = header !== undefined && /^(RIFF|ID3)/.test(Buffer.from(bytes.subarray(0, 4)).toString('latin1'))
      ensure(!hasText, `the PCM begins with the header of a ${header} file`)
    }
  }),
  check('stream.pcm-format', 'with this format, the stream lasts as long as the speech', async (subject) => {
    const { raw } = await streamedSpeech(subject)
    const { seconds } = await speechOf(subject)
    requireLength('the stream', pcmDuration(raw), seconds)
  }),
  check('speech-events.values', 'with these values, the stream lasts as long as the speech', async (subject) => {
    const { events } = await streamedSpeech(subject)
    const { seconds } = await speechOf(subject)
    requireLength('the stream', pcmSeconds(eventLayout(events), eventPcm(events).byteLength), seconds)
  }),
  check('stream.speed-range', 'speed divides the duration', async (subject) => {
    const { raw } = await streamedSpeech(subject)
    const normal = raw.bytes.byteLength
    for (const speed of [0.25, 0.5, 2, 4]) {
      const changed = await accept(subject, 'stream', {
        input: SAID,
        voice_id: await voiceId(subject),
        stream_format: 'audio',
        speed,
      })
      const factor = normal / changed.bytes.byteLength
      ensure(factor > 0.7 * speed && factor < 1.4 * speed, `speed ${speed} speaks ${factor.toFixed(2)} times as fast`)
    }
  }),
]
