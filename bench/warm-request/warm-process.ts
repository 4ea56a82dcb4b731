import type { WarmArgs, WarmClient } from './warm-args.ts'

/** Process entry: sends as many requests as the parent asks for, and reports the microseconds of CPU of each. */
const [, , told = ''] = process.argv
// The parent sends nothing else.
const { client, origin, request, inFlight } = JSON.parse(told) as WarmArgs
const { prepare } = (await import(client)) as WarmClient
const send = prepare(origin)[request]
if (send === undefined) throw new Error(`${client} has no request "${request}"`)
const expected = request === 'models' ? 'list' : 'audio.speech'

async function sendAll(count: number): Promise<void> {
  let left = count
  const place = async (): Promise<void> => {
    while (left-- > 0) {
      const object = await send?.()
      if (object !== expected) throw new Error(`${client} got ${object}`)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, place))
}

async function measure(count: number): Promise<number> {
  const before = process.cpuUsage()
  await sendAll(count)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / count
}

// An error ends the process and thereby reaches the parent.
process.on('message', (count) => void measure(Number(count)).then((microseconds) => process.send?.(microseconds)))
