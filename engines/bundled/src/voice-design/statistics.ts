/**
 * Returns the value below which this share of the values lies, interpolated between two values.
 * @param share 0 to 1
 * @returns NaN when there are no values
 */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  const at = share * (sorted.length - 1)
  const low = sorted[Math.floor(at)] ?? NaN
  const high = sorted[Math.ceil(at)] ?? NaN
  return low + (high - low) * (at - Math.floor(at))
}

/** Limits a value to the range from `min` to `max`. */
export function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value))
}
