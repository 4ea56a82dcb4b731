import { ensure } from '../outcomes.ts'
import { firstChannel, type Wav } from './wav.ts'

/** Least loudness of speech: the root mean square of its samples, as a share of full scale. About -54 dB. */
const LEAST = 0.002

/** @throws Violation for silence */
export function requireSound(where: string, wav: Wav): void {
  const samples = firstChannel(wav)
  const squares = samples.reduce((sum, sample) => sum + sample * sample, 0)
  ensure(samples.length > 0 && Math.sqrt(squares / samples.length) > LEAST, `${where} is silent`)
}
