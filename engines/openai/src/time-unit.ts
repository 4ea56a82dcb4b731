import { EngineFailedError } from '@svc-audio/engine-ports'

/** Models write times up to the end of their window, which may be behind the end of the recording, in seconds. */
const WINDOW_SECONDS = 30

/** What servers count in: seconds, and milliseconds, microseconds or nanoseconds, in a second. */
const UNITS = [1, 1e3, 1e6, 1e9]

/**
 * Finds the unit of the times of a response: some servers answer nanoseconds where the API has seconds.
 * @param seconds Length of the recording
 * @param name Name of the entry, for messages
 * @returns How many there are in a second
 * @throws EngineFailedError for times that are none of the recording in any unit
 */
export function timeUnit(
  times: readonly { readonly start: number; readonly end: number }[],
  seconds: number,
  name: string,
): number {
  const last = times.reduce((max, { start, end }) => Math.max(max, start, end), 0)
  const unit = UNITS.find((one) => last / one <= seconds + WINDOW_SECONDS)
  if (unit !== undefined) return unit
  throw new EngineFailedError(`${name} answered times up to ${last} for a recording of ${seconds.toFixed(1)} s`)
}
