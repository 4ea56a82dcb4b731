/** The part of a row that says what is asked and whether it is held. */
export interface Verdict {
  readonly bar: string
  readonly ok: boolean
}

/** `value`, which `what` names, may be `most` at most. */
export function atMost(what: string, value: number, most: number, unit = ''): Verdict {
  return { bar: `${what} ≤ ${most}${unit}`, ok: value <= most }
}

/** `value`, which `what` names, must be `least` at least. */
export function atLeast(what: string, value: number, least: number, unit = ''): Verdict {
  return { bar: `${what} ≥ ${least}${unit}`, ok: value >= least }
}

/** A row that is told, but fails nothing: `what` says what to look for. */
export function reported(what: string): Verdict {
  return { bar: `${what} (reported)`, ok: true }
}
