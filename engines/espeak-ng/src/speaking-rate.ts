/** Words per minute of the program at speed 1, and the fewest that it speaks. */
const NATURAL = 175
const LEAST = 80

/** Units of the program's word gap that double the length of speech at {@link LEAST}, measured on sentences. */
const DOUBLING_GAP = 13

/**
 * Returns the program's options for a slowdown relative to speed 1. Slower than the program can speak, words get
 * pauses between them.
 */
export function speakingRate(stretch: number): string[] {
  const words = Math.round(NATURAL / stretch)
  if (words >= LEAST) return ['-s', String(words)]
  const gap = Math.round(DOUBLING_GAP * ((stretch * LEAST) / NATURAL - 1))
  return ['-s', String(LEAST), '-g', String(gap)]
}
