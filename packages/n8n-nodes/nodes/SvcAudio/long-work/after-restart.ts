/**
 * How long a run that was waiting when n8n started stays untouched, in milliseconds since the start of the process.
 *
 * While n8n starts, it resumes the waiting runs that are due. Seconds later it reads its log of events for runs without
 * an end, marks each of them as crashed, and then lets those that wait wait again. A run that is resumed in that moment
 * stays crashed, and one that ends in it is run twice.
 */
const REST = 120_000

/**
 * Until when a run does nothing but wait again, in Unix time.
 *
 * @param startedAt Unix time at which its first task was started, in milliseconds.
 * @returns 0 if the process is the one that the run began in.
 */
export function restsUntil(startedAt: number = Infinity): number {
  const { timeOrigin } = performance
  return startedAt < timeOrigin ? timeOrigin + REST : 0
}
