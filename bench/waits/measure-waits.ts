import type { BenchContext } from '../harness/bench-case.ts'
import { measure } from '../harness/measure.ts'
import type { Service } from '../service/service.ts'
import type { ServiceReport } from '../service/service-report.ts'
import type { WaitArgs } from './wait-args.ts'

/** Modules of the waiting clients. */
const CLIENTS = {
  ours: new URL('./ours.ts', import.meta.url),
  limit: new URL('./undici-capped.ts', import.meta.url),
  'undici, a loop a task': new URL('./undici-loops.ts', import.meta.url),
}

/** Name of a waiting client. */
export type WaitClient = keyof typeof CLIENTS

/** All waiting clients: ours, the limit, the usual way. */
export const WAIT_CLIENTS: readonly WaitClient[] = ['ours', 'limit', 'undici, a loop a task']

/** Cost of many waits to the client's process, and the service's report. */
export interface WaitCost extends ServiceReport {
  readonly peakBytes: number
  readonly cpuSeconds: number
}

/**
 * Waits for many tasks at once, in a fresh process.
 * @throws Error when a task was not polled to its end, or was polled afterwards
 */
export async function measureWaits(
  context: BenchContext,
  service: Service,
  client: WaitClient,
  shape: Omit<WaitArgs, 'origin'>,
): Promise<WaitCost> {
  await service.report()
  const args: WaitArgs = { origin: service.origin, ...shape }
  const { result, peakBytes, cpuSeconds } = await measure<number>(context, CLIENTS[client], args)
  const report = await service.report()
  if (result !== shape.tasks || report.finishedTasks !== shape.tasks) {
    throw new Error(`${client} waited for ${result} of ${shape.tasks} tasks`)
  }
  if (report.requests !== shape.tasks * shape.reads) throw new Error(`${client} read ${report.requests} times`)
  return { ...report, peakBytes, cpuSeconds }
}
