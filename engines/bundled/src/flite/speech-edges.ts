import { secondsToFrames } from './pcm.ts'

/** Start and end of the speech within the audio of an utterance, in seconds. */
export interface SpeechSpan {
  readonly startSecond: number
  readonly endSecond: number
}

/** Silence around speech at speed 1, in seconds: room for soft onsets and for a voice to fade. */
const LEAD_SECONDS = 0.02
const TAIL_SECONDS = 0.06

/** Flite's name for silence among its phones. */
const SILENCE = 'pau'
const PHONE = /(\S+):(\d+(?:\.\d+)?)/g

/**
 * Parses flite's output for `-psdur`: phones with their end times, as in `pau:0.119 hh:0.212 ay:0.4 pau:0.6`. Ignores
 * silence at the edges; returns `undefined` when only silence is left. These times are more certain than the loudness
 * of the samples: a soft `h` is quieter than the noise between words of some voices.
 */
export function speechSpan(phones: string): SpeechSpan | undefined {
  const ends = Array.from(phones.matchAll(PHONE), ([, name, end]) => ({
    silent: name === SILENCE,
    endSecond: Number(end),
  }))
  const first = ends.findIndex((phone) => !phone.silent)
  const last = ends.findLast((phone) => !phone.silent)
  if (last === undefined) return undefined
  return { startSecond: ends[first - 1]?.endSecond ?? 0, endSecond: last.endSecond }
}

/**
 * Cuts the silence around speech down to a small margin. Fades the margin, so that it joins digital silence without a
 * click. Flite puts 0.1 to 0.25 s before each utterance, which would delay the first sound of a stream.
 * @param samples The utterance. Its margins change in place.
 * @param stretch Slowdown of the speech relative to speed 1. The margins follow it.
 */
export function trimEdges(samples: Int16Array, span: SpeechSpan, stretch: number): Int16Array {
  const start = Math.min(secondsToFrames(span.startSecond), samples.length)
  const end = Math.min(Math.max(secondsToFrames(span.endSecond), start), samples.length)
  const from = Math.max(0, start - secondsToFrames(LEAD_SECONDS * stretch))
  const to = Math.min(samples.length, end + secondsToFrames(TAIL_SECONDS * stretch))
  fade(samples.subarray(from, start), 0, 1)
  fade(samples.subarray(end, to), 1, 0)
  return samples.subarray(from, to)
}

/** Changes the volume evenly from one factor to another over these samples, in place. */
function fade(samples: Int16Array, from: number, to: number): void {
  for (const [index, sample] of samples.entries())
    samples[index] = Math.round(sample * (from + ((to - from) * index) / samples.length))
}
