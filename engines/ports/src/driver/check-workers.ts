import { describeFault, integer } from '@svc-audio/options'

/**
 * Checks the number of threads or processes of an engine.
 * @throws RangeError unless it is a positive integer
 */
export function checkWorkers(workers: number): void {
  const fault = describeFault('workers', integer(1), workers)
  if (fault !== undefined) throw new RangeError(fault)
}
