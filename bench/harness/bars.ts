/** The part of a row with its requirement and the verdict. */
export interface Verdict {
  readonly bar: string
  readonly ok: boolean
}

/** Requires at most `most`. `what` names the value. */
export function atMost(what: string, value: number, most: number, unit = ''): Verdict {
  return { bar: `${what} ≤ ${most}${unit}`, ok: value <= most }
}

/** Requires at least `least`. `what` names the value. */
export function atLeast(what: string, value: number, least: number, unit = ''): Verdict {
  return { bar: `${what} ≥ ${least}${unit}`, ok: value >= least }
}

/** A row that never fails. `what` tells the reader which value matters. */
export function reported(what: string): Verdict {
  return { bar: `${what} (reported)`, ok: true }
}
