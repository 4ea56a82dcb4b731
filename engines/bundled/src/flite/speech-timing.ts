import { FLITE_FORMAT, secondsToFrames } from './pcm.ts'
import type { SpeechStep } from './speech-plan.ts'

/** Slowest and fastest intelligible speech: the range of `speed` (interface: Limits), as its inverse. */
const LONGEST_STRETCH = 4
const SHORTEST_STRETCH = 0.25

/** The timing of a plan's steps. */
export interface SpeechTiming {
  /** Slowdown of speech and gaps relative to speed 1. */
  readonly stretch: number
  /**
   * Target length of the whole, and of each piece of speech in it, in frames. Without it speech takes its natural
   * length.
   */
  readonly target?: { readonly totalFrames: number; readonly speechFrames: readonly number[] }
}

/**
 * Returns the timing that brings a plan to a total length. Stretches speech and gaps alike and leaves pauses unchanged.
 * Beyond a factor of 4, silence at the end fills the rest, or the speech stays longer. Words are never cut.
 * @param naturalFrames Length of each piece of speech at speed 1.
 * @param sampleRate Frames in a second. @default that of flite
 */
export function fitTiming(
  steps: readonly SpeechStep[],
  naturalFrames: readonly number[],
  seconds: number,
  sampleRate: number = FLITE_FORMAT.sampleRate,
): SpeechTiming {
  const natural = naturalFrames.reduce((total, frames) => total + frames, 0) / sampleRate + secondsOf(steps, 'gap')
  const wanted = (seconds - secondsOf(steps, 'pause')) / natural
  // Without speech this would divide by zero, and there is nothing to stretch.
  const stretch = natural > 0 ? Math.min(LONGEST_STRETCH, Math.max(SHORTEST_STRETCH, wanted)) : 1
  const speechFrames = naturalFrames.map((frames) => Math.round(frames * stretch))
  return { stretch, target: { totalFrames: secondsToFrames(seconds, sampleRate), speechFrames } }
}

function secondsOf(steps: readonly SpeechStep[], type: 'gap' | 'pause'): number {
  return steps.reduce((seconds, step) => (step.type === type ? seconds + step.seconds : seconds), 0)
}
