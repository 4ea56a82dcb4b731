import type { RoomLog } from './room-log.ts'

/**
 * How many words of an answer were heard before it was cut, by the real length of each sentence.
 * @param secondsOf Length of a whole sentence.
 */
export async function wordsHeard(
  cut: RoomLog['cut'],
  secondsOf: (sentence: string) => Promise<number>,
): Promise<number> {
  const { sentences = [], playedSeconds = 0 } = cut ?? {}
  let words = 0
  for (const { text, startSecond } of sentences) {
    const share = Math.min(1, Math.max(0, (playedSeconds - startSecond) / (await secondsOf(text))))
    words += Math.floor(text.split(' ').length * share)
  }
  return words
}
