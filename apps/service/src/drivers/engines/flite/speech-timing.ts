import { FLITE_FORMAT, secondsToFrames } from './pcm.ts'
import type { SpeechStep } from './speech-plan.ts'

/** Slowest and fastest speech that is still understood: the range of `speed` (interface: Limits), as its inverse. */
const LONGEST_STRETCH = 4
const SHORTEST_STRETCH = 0.25

/** How the steps of a plan are laid out in time. */
export interface SpeechTiming {
  /** How much longer than at speed 1 speech and gaps are. */
  readonly stretch: number
  /** How long the whole is to be, and each piece of speech in it, in frames. Without it speech takes what it takes. */
  readonly target?: { readonly totalFrames: number; readonly speechFrames: readonly number[] }
}

/**
 * The timing that brings a plan to a total length. Speech and gaps are stretched alike and pauses stay as they are.
 * Where that would take more than a factor of 4, the rest is silence at the end, or the speech stays longer: words are
 * never cut.
 * @param naturalFrames How long each piece of speech is at speed 1.
 */
export function fitTiming(
  steps: readonly SpeechStep[],
  naturalFrames: readonly number[],
  seconds: number,
): SpeechTiming {
  const natural =
    naturalFrames.reduce((total, frames) => total + frames, 0) / FLITE_FORMAT.sampleRate + secondsOf(steps, 'gap')
  const wanted = (seconds - secondsOf(steps, 'pause')) / natural
  // no speech makes that a division by zero; there is nothing to stretch then
  const stretch = natural > 0 ? Math.min(LONGEST_STRETCH, Math.max(SHORTEST_STRETCH, wanted)) : 1
  const speechFrames = naturalFrames.map((frames) => Math.round(frames * stretch))
  return { stretch, target: { totalFrames: secondsToFrames(seconds), speechFrames } }
}

function secondsOf(steps: readonly SpeechStep[], type: 'gap' | 'pause'): number {
  return steps.reduce((seconds, step) => (step.type === type ? seconds + step.seconds : seconds), 0)
}
