import {
  type BaseVoice,
  MANNER_LIMITS,
  type Timbre,
  type VoiceManner,
  type VoiceParameters,
} from '@svc-audio/engine-ports'

/** The wanted voice. An absent trait is that of the built-in voice. */
export interface VoiceTarget {
  /** Without it, any built-in voice with the nearest pitch is used. */
  readonly timbre?: Timbre
  /** Middle pitch, in Hz. @default that of the built-in voice */
  readonly pitchHz?: number
  /** How far the pitch moves: its standard deviation, in semitones. @default that of the built-in voice */
  readonly rangeSemitones?: number
  /** Speaking rate without pauses. @default that of the built-in voice */
  readonly syllablesPerSecond?: number
  /** Size relative to most people of that pitch. @default 1 */
  readonly size?: number
}

/** Speakers above this pitch mostly have a shorter throat than the built-in voice. */
const SMALLER_ABOVE_HZ = 220
const BIGGER_BELOW_HZ = 110
/** How much size follows pitch: two octaves of pitch are one octave of size. */
const SIZE_BY_PITCH = 0.5

/**
 * Finds the parameters nearest to a target.
 * @param bases At least one.
 * @throws RangeError when `bases` is empty
 */
export function fitVoice(target: VoiceTarget, bases: readonly BaseVoice[]): VoiceParameters {
  const { id, traits } = chooseBase(target, bases)
  const pitchHz = limited('pitchHz', target.pitchHz ?? traits.pitchHz)
  return {
    base: id,
    pitchHz,
    rangeSemitones: limited('rangeSemitones', target.rangeSemitones ?? traits.rangeSemitones),
    tempo: limited('tempo', (target.syllablesPerSecond ?? traits.syllablesPerSecond) / traits.syllablesPerSecond),
    size: limited('size', (target.size ?? 1) * usualSize(pitchHz)),
  }
}

function chooseBase({ timbre, pitchHz }: VoiceTarget, bases: readonly BaseVoice[]): BaseVoice {
  const fitting = bases.filter(({ traits }) =>
    timbre === undefined ? traits.timbre !== 'robotic' : traits.timbre === timbre,
  )
  const [first, ...others] = fitting.length > 0 ? fitting : bases
  if (first === undefined) throw new RangeError('fitVoice needs at least one base voice')
  if (pitchHz === undefined) return first
  const distance = ({ traits }: BaseVoice): number => Math.abs(Math.log(traits.pitchHz / pitchHz))
  return others.reduce((best, base) => (distance(base) < distance(best) ? base : best), first)
}

function usualSize(pitchHz: number): number {
  return (clamp(pitchHz, BIGGER_BELOW_HZ, SMALLER_ABOVE_HZ) / pitchHz) ** SIZE_BY_PITCH
}

function limited(part: keyof VoiceManner, value: number): number {
  const [min, max] = MANNER_LIMITS[part]
  // Four digits are finer than anyone can hear, and the stored value stays readable.
  return Number(clamp(value, min, max).toPrecision(4))
}

/** Limits a value to the range from `min` to `max`. */
export function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value))
}
