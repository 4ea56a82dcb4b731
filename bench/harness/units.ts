/** Bytes in a megabyte, here and in every bar: 1,048,576. */
export const MB = 1024 * 1024

/** The value in the middle; of an even number of values the lower of the two. */
export function median(values: readonly number[]): number {
  const middle = values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)]
  if (middle === undefined) throw new RangeError('A median needs at least one value')
  return middle
}
