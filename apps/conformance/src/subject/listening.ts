import { encodeWav, type PcmFormat, pcmSeconds } from '@svc-audio/core/audio'
import { wordErrorRate } from '@svc-audio/testing'
import { pitchOf, semitones, type Wav, wholeWav } from '../audio.ts'
import { ensure, type Fields, NotChecked } from '../expect.ts'
import { type ApiResponse, eventsOf, readEvents, theEvent } from '../http/response.ts'
import { createVoice, dataOf, LINES, SAID, voiceId, voicePage } from './fixtures.ts'
import { accept } from './requests.ts'
import { shared, type Subject } from './subject.ts'

/** A listed voice and its pitch. */
export interface Speaker {
  readonly voiceId: string
  /** Median pitch, in Hz. */
  readonly pitch: number
}

/** Two voices of different pitch. */
export interface Pair {
  readonly low: Speaker
  readonly high: Speaker
}

/** Number of listed voices that are measured. */
const MEASURED = 4
/** Voices nearer than this cannot be distinguished, in semitones. */
const APART = 3
/** Nearer than this, all voices are one, in semitones. */
const SAME = 0.3

/** Speech of {@link SAID} in a voice, by default the first listed one. */
export async function speechOf(subject: Subject, voice?: string): Promise<Wav> {
  return wholeWav(
    (await accept(subject, 'speech', { input: SAID, ...(voice === undefined ? {} : { voice_id: voice }) })).bytes,
  )
}

/**
 * Returns the lowest and the highest of the first four listed voices.
 * @throws Violation if all have the same pitch; NotChecked if they cannot be distinguished
 */
export const pair: (subject: Subject) => Promise<Pair> = shared(async (subject) => {
  const ids = dataOf(await voicePage(subject)).map(({ id }) => String(id))
  const speakers: Speaker[] = []
  for (const id of ids.slice(0, MEASURED)) {
    const pitch = pitchOf(await speechOf(subject, id))
    if (pitch !== undefined) speakers.push({ voiceId: id, pitch })
  }
  const [low, ...others] = speakers.toSorted((one, other) => one.pitch - other.pitch)
  const high = others.at(-1)
  if (low === undefined || high === undefined) throw new NotChecked('the server lists fewer than two audible voices')
  const apart = semitones(low.pitch, high.pitch)
  ensure(apart > SAME, `${speakers.length} voices all speak at ${hertz(low.pitch)}: voice_id has no effect`)
  if (apart < APART) throw new NotChecked(`the first ${MEASURED} voices are too alike in pitch to distinguish them`)
  return { low, high }
})

/**
 * Requires that a part of the audio is in one voice, not in the other.
 * @param part Start and end of the part, as shares of the file.
 * @throws Violation if the pitch is nearer to the other voice
 */
export function requireVoice(
  where: string,
  wav: Wav,
  { own, other, part: [from, to] = [0, 1] }: { own: Speaker; other: Speaker; part?: readonly [number, number] },
): void {
  const pitch = pitchOf(wav, from, to)
  ensure(pitch !== undefined, `${where} has no voice`)
  ensure(
    semitones(pitch, own.pitch) < semitones(pitch, other.pitch),
    `${where} is at ${hertz(pitch)}, nearer to ${other.voiceId} (${hertz(other.pitch)}) than to ${own.voiceId} (${hertz(own.pitch)})`,
  )
}

/** A dialogue of the two voices: the low one speaks the first line, the high one the second. */
export const dialogueOfTwo: (subject: Subject) => Promise<Uint8Array> = shared(async (subject) => {
  const { low, high } = await pair(subject)
  const { bytes } = await accept(subject, 'dialogue', {
    speakers: [
      { id: 'one', voice_id: low.voiceId },
      { id: 'two', voice_id: high.voiceId },
    ],
    segments: [
      { speaker: 'one', text: LINES[0] },
      { speaker: 'two', text: LINES[1] },
    ],
  })
  return bytes
})

/**
 * A voice without a name, from speech of the high voice, or of the first one if the voices cannot be distinguished. All
 * checks share it, because voices cannot be deleted.
 */
export const namelessVoice: (subject: Subject) => Promise<Fields> = shared(async (subject) => {
  const voice = await pair(subject).then(
    ({ high }) => high.voiceId,
    () => undefined,
  )
  const { samples, ...layout } = await speechOf(subject, voice)
  return createVoice(subject, {}, encodeWav(layout, [samples]))
})

/** A pitch for messages. */
export function hertz(pitch: number): string {
  return `${Math.round(pitch)} Hz`
}

/** Least share of the words of a line that must be heard. A recognizer makes errors; a lost line has few words in common. */
const LEAST_HEARD = 0.5
/** Highest word error rate of the whole text. Swapped and repeated lines exceed it. */
const MOST_ERRORS = 0.7

/**
 * Requires that a transcript has the words of a text.
 * @param where Origin of the transcript, for the message.
 * @param heard The transcript.
 * @param lines Sentences of the text. Each of them must be heard.
 * @throws Violation with the first line that is not heard, and for many more words than the text has
 */
export function requireHeard(where: string, heard: unknown, lines: readonly string[]): void {
  const said = String(heard)
  const found = new Set(wordsOf(said))
  for (const line of lines) {
    const words = wordsOf(line)
    const share = words.filter((word) => found.has(word)).length / words.length
    ensure(share >= LEAST_HEARD, `${where} says “${excerpt(said)}”, without “${line}”`)
  }
  const errors = wordErrorRate(lines.join(' '), said)
  ensure(errors <= MOST_ERRORS, `${where} says “${excerpt(said)}”, which differs much from “${lines.join(' ')}”`)
}

/** Requires that two transcripts of the same audio have mostly the same words. @throws Violation if they differ */
export function requireSameWords(where: string, one: string, other: string): void {
  ensure(wordErrorRate(one, other) <= LEAST_HEARD, `${where} differ: “${excerpt(one)}” and “${excerpt(other)}”`)
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? []
}

function excerpt(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}

/** The same speech as raw PCM and as events. */
interface StreamedSpeech {
  readonly raw: ApiResponse
  readonly events: readonly Fields[]
}

/** Streams {@link SAID} in the first listed voice, in both formats. */
export const streamedSpeech: (subject: Subject) => Promise<StreamedSpeech> = shared(async (subject) => {
  const changes = { input: SAID, voice_id: await voiceId(subject) }
  const raw = await accept(subject, 'stream', { ...changes, stream_format: 'audio' })
  const events = readEvents(await accept(subject, 'stream', { ...changes, stream_format: 'sse' }))
  return { raw, events }
})

/** Reads the headers of raw PCM. A missing header is 0. */
function pcmLayout({ headers }: ApiResponse): PcmFormat {
  const read = (name: string): number => Number(headers.get(name))
  return { sampleRate: read('x-sample-rate'), channels: read('x-channels'), bitDepth: read('x-bit-depth') }
}

/** Duration of a response of raw PCM, in seconds. */
export function pcmDuration(response: ApiResponse): number {
  return pcmSeconds(pcmLayout(response), response.bytes.byteLength)
}

/** The WAV file of a response of raw PCM. */
export function pcmAsWav(response: ApiResponse): Uint8Array<ArrayBuffer> {
  return encodeWav(pcmLayout(response), [response.bytes])
}

/** Reads the layout in `speech.created`. @throws Violation unless exactly one exists */
export function eventLayout(events: readonly Fields[]): PcmFormat {
  const created = theEvent(events, 'speech.created')
  const read = (name: string): number => Number(created[name])
  return { sampleRate: read('sample_rate'), channels: read('channels'), bitDepth: read('bit_depth') }
}

/** Returns the PCM of a stream's events. */
export function eventPcm(events: readonly Fields[]): Uint8Array {
  return Buffer.concat(eventsOf(events, 'speech.audio.delta').map(({ audio }) => Buffer.from(String(audio), 'base64')))
}
