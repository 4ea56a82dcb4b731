import { PitchDetector } from 'pitchy'
import { firstChannel, type Wav } from './wav.ts'

/** Length of a measured window, in seconds. It holds three periods of the deepest voice. */
const WINDOW = 0.05
/** Pitches of voices, in Hz. */
const LOWEST = 60
const HIGHEST = 500
/** Least clarity of a voiced window, from 0 to 1. */
const CLEAR = 0.8
/** Fewest voiced windows: 0.15 s. */
const ENOUGH = 6

/**
 * Median pitch of a voice in Hz, or `undefined` without enough voiced sound.
 * @param from Start of the measured part, as a share of the file.
 * @param to End of the measured part, as a share of the file.
 */
export function pitchOf(wav: Wav, from = 0, to = 1): number | undefined {
  const samples = firstChannel(wav)
  const size = Math.round(WINDOW * wav.sampleRate)
  const detector = PitchDetector.forFloat32Array(size)
  const found: number[] = []
  const end = Math.floor(samples.length * to) - size
  for (let at = Math.floor(samples.length * from); at <= end; at += Math.round(size / 2)) {
    const [pitch, clarity] = detector.findPitch(samples.subarray(at, at + size), wav.sampleRate)
    if (clarity >= CLEAR && pitch >= LOWEST && pitch <= HIGHEST) found.push(pitch)
  }
  return found.length < ENOUGH ? undefined : found.toSorted((one, other) => one - other)[Math.floor(found.length / 2)]
}

/** Distance of two pitches in semitones. */
export function semitones(one: number, other: number): number {
  return Math.abs(12 * Math.log2(one / other))
}
