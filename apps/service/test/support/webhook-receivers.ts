import { settle } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import { NoResponseError, type WebhookOutbox } from '../../src/ports/webhook-outbox.ts'
import type { TaskStore } from '../../src/ports/task-store.ts'
import { startWorkers } from '../../src/workers/workers.ts'
import { changed, type FakeServices } from './fake-services.ts'

/** Tasks of one tenant, by the receiver of their webhooks. */
export interface ReceiverLoad {
  readonly hanging: number
  readonly redirecting: number
  readonly good: number
}

/** Time between two ends of tasks, in milliseconds of the manual clock. */
const STEP_MS = 20

/** Time until a call to the receiver that hangs ends. */
const TIMEOUT_MS = 15_000

/** Counts calls of a store that have no result yet. */
function counted(outbox: WebhookOutbox): { readonly outbox: WebhookOutbox; readonly open: () => number } {
  let open = 0
  const count = async <T>(call: Promise<T>): Promise<T> => {
    open += 1
    return call.finally(() => (open -= 1))
  }
  return {
    open: () => open,
    outbox: {
      ...outbox,
      claim: (...given) => count(outbox.claim(...given)),
      record: (...given) => count(outbox.record(...given)),
      release: (...given) => count(outbox.release(...given)),
    },
  }
}

/**
 * Ends tasks of one tenant in turn, whose webhooks go to a receiver that hangs, to one that redirects, and to a good one.
 * @returns Milliseconds of the manual clock from the end of each task to the call of the good receiver, sorted.
 */
export async function callReceivers(
  services: FakeServices,
  stores: { readonly tasks: TaskStore; readonly outbox: WebhookOutbox },
  load: ReceiverLoad,
): Promise<number[]> {
  const { clock } = services
  const { outbox, open } = counted(stores.outbox)
  // No worker performs the tasks: the test ends them.
  for (const state of Object.values(services.engines.states)) state.up = false
  const ended = new Map<string, number>()
  const delays: number[] = []
  services.answer = ({ url, body }) => {
    if (url.includes('redirects')) return Promise.resolve(302)
    if (url.includes('hangs')) {
      return new Promise((_resolve, reject) => {
        const time = () => reject(new NoResponseError(TIMEOUT_MS))
        const cancel = clock.setTimer(TIMEOUT_MS, time)
        services.stop.signal.addEventListener('abort', () => {
          cancel()
          time()
        })
      })
    }
    const { id } = JSON.parse(body) as { readonly id: string }
    delays.push(clock.now() - (ended.get(id) ?? 0))
    return Promise.resolve(204)
  }
  const working = changed(services, { stores: { tasks: stores.tasks, outbox } })
  const workers = startWorkers(working, 1)
  const idle = async (): Promise<void> => {
    for (let quiet = 0; quiet < 3;) {
      await settle()
      quiet = open() === 0 ? quiet + 1 : 0
    }
  }
  const end = async (receiver: string, number: number): Promise<void> => {
    const id = `${receiver}_${number}`
    const webhookUrl = `https://${receiver}.example.com/hook`
    await stores.tasks.accept({ id, tenant: 'only', kind: 'audio.speech', model: 'm', request: {}, webhookUrl })
    const claim = await stores.tasks.claim(60_000)
    if (claim === undefined) throw new Error('The task is not claimed')
    await stores.tasks.succeed(claim, {})
    ended.set(id, clock.now())
    working.stores.dispatch.announce('webhook')
  }
  const steps = Math.max(load.hanging, load.redirecting)
  try {
    for (let step = 0; step < steps; step += 1) {
      if (step < load.hanging) await end('hangs', step)
      if (step < load.redirecting) await end('redirects', step)
      if (step % Math.ceil(steps / load.good) === 0) await end('answers', step)
      await idle()
      await clock.pass(STEP_MS)
      await idle()
    }
    for (let second = 0; second < 30 && delays.length < load.good; second += 1) {
      await clock.pass(1000)
      await idle()
    }
    return delays.toSorted((one, other) => one - other)
  } finally {
    services.stop.abort(new Error('stopping'))
    await workers.stop()
  }
}

/** The value that 95 of 100 do not exceed. */
export function percentile95(sorted: readonly number[]): number {
  return sorted[Math.ceil(0.95 * sorted.length) - 1] ?? Number.NaN
}
