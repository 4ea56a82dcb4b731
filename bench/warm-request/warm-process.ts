import { setTimeout } from 'node:timers/promises'
import type { WarmArgs, WarmClient } from './warm-args.ts'

/** Requests before the clock starts: until then code is compiled and connections are made. */
const WARM_UP = 3000

/**
 * Sends the same request many times.
 * @returns microseconds of CPU a request, all threads of the client's process
 * @throws Error when a result is not the service's
 */
export async function run({ client, origin, request, count, inFlight }: WarmArgs): Promise<number> {
  // The case names its own modules only.
  const { prepare } = (await import(client)) as WarmClient
  const send = prepare(origin)[request]
  if (send === undefined) throw new Error(`${client} has no request "${request}"`)
  const expected = request === 'models' ? 'list' : 'audio.speech'
  const sendAll = async (requests: number): Promise<void> => {
    let left = requests
    const place = async (): Promise<void> => {
      while (left-- > 0) {
        const object = await send()
        if (object !== expected) throw new Error(`${client} got ${object}`)
      }
    }
    await Promise.all(Array.from({ length: inFlight }, place))
  }
  await sendAll(WARM_UP)
  // What the compiler still does in its own thread is no cost of a request.
  await setTimeout(100)
  const before = process.cpuUsage()
  await sendAll(count)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / count
}
