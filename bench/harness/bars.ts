/** The part of a row with its requirement and the verdict. */
export interface Verdict {
  readonly bar: string
  readonly ok: boolean
}

/** Requires at most `max`. `what` names the value. */
export function atMost(what: string, value: number, max: number, unit = ''): Verdict {
  return { bar: `${what} ≤ ${max}${unit}`, ok: value <= max }
}

/** Requires at least `min`. `what` names the value. */
export function atLeast(what: string, value: number, min: number, unit = ''): Verdict {
  return { bar: `${what} ≥ ${min}${unit}`, ok: value >= min }
}

/** A row that never fails. `what` tells the reader which value matters. */
export function reported(what: string): Verdict {
  return { bar: `${what} (reported)`, ok: true }
}
