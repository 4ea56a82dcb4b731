import { pitchOf, semitones } from '../audio/pitch.ts'
import { encodeWav } from '@svc-audio/core/audio'
import { wholeWav, type Wav } from '../audio/wav.ts'
import type { Fields } from '../http/response.ts'
import { ensure, NotChecked } from '../outcomes.ts'
import { createVoice, dataOf, LINES, SAID, voiceId, voicePage } from './fixtures.ts'
import { accept } from './requests.ts'
import { shared } from './shared.ts'
import type { Subject } from './subject.ts'

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

/** Speech of {@link SAID} in a voice. */
export async function speechOf(subject: Subject, voice: string): Promise<Wav> {
  return wholeWav((await accept(subject, 'speech', { input: SAID, voice_id: voice })).bytes)
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
    () => voiceId(subject),
  )
  const { samples, ...layout } = await speechOf(subject, voice)
  return createVoice(subject, {}, encodeWav(layout, [samples]))
})

/** A pitch for messages. */
export function hertz(pitch: number): string {
  return `${Math.round(pitch)} Hz`
}
