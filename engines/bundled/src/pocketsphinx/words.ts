import type { RecognizedWord } from '@svc-audio/engine-ports'
import { FRAMES_PER_SECOND } from '../pcm/frames.ts'

/** A piece of PocketSphinx's hypothesis. `start` and `end` are its first and last frame, from the utterance's start. */
export interface Segment {
  readonly word: string
  readonly start: number
  readonly end: number
}

/** Sounds other than words: `<s>`, `<sil>`, `[NOISE]`, `++BREATH++`. */
const FILLER = /^(?:<.*>|\[.*\]|\+\+.*\+\+)$/

/** The second and further pronunciations of a word in the dictionary: `the(2)`. */
const PRONUNCIATION_MARK = /\(\d+\)$/

/**
 * Returns the words of a hypothesis, without other sounds.
 * @param startSecond Start of the utterance in the whole audio.
 */
export function toWords(segments: readonly Segment[], startSecond: number): RecognizedWord[] {
  return segments
    .filter(({ word }) => !FILLER.test(word))
    .map(({ word, start, end }) => ({
      word: word.replace(PRONUNCIATION_MARK, ''),
      startSecond: toMilliseconds(startSecond + start / FRAMES_PER_SECOND),
      endSecond: toMilliseconds(startSecond + (end + 1) / FRAMES_PER_SECOND),
    }))
}

/** Removes binary rounding noise: 0.30000000000000004 becomes 0.3. */
function toMilliseconds(second: number): number {
  return Math.round(second * 1000) / 1000
}
