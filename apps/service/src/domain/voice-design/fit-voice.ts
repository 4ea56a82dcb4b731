import { clamp } from './statistics.ts'
import {
  type BaseVoice,
  MANNER_LIMITS,
  type Timbre,
  type VoiceManner,
  type VoiceParameters,
} from './voice-parameters.ts'

/** What a voice is to be like. Whatever is left out is as the built-in voice has it. */
export interface VoiceTarget {
  /** Without it the built-in voice whose own pitch is nearest is taken. */
  readonly timbre?: Timbre
  readonly pitchHz?: number
  readonly rangeSemitones?: number
  readonly syllablesPerSecond?: number
  /** Relative to what people of that pitch mostly have. @default 1 */
  readonly size?: number
}

/** People who speak higher than this mostly have a shorter throat than the voice they are built on, and so on down. */
const SMALLER_ABOVE_HZ = 220
const BIGGER_BELOW_HZ = 110
/** How strongly size follows pitch: two octaves in pitch are one in size. */
const SIZE_BY_PITCH = 0.5

/**
 * The parameters that come nearest to a target.
 * @param bases At least one.
 * @throws RangeError when there is no built-in voice to build on
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
  if (first === undefined) throw new RangeError('There is no built-in voice to build on')
  if (pitchHz === undefined) return first
  const distance = ({ traits }: BaseVoice): number => Math.abs(Math.log(traits.pitchHz / pitchHz))
  return others.reduce((best, base) => (distance(base) < distance(best) ? base : best), first)
}

function usualSize(pitchHz: number): number {
  return (clamp(pitchHz, BIGGER_BELOW_HZ, SMALLER_ABOVE_HZ) / pitchHz) ** SIZE_BY_PITCH
}

function limited(part: keyof VoiceManner, value: number): number {
  const [least, most] = MANNER_LIMITS[part]
  // four digits are more than can be heard, and what is stored stays readable
  return Number(clamp(value, least, most).toPrecision(4))
}
