// Aborts one call at one place and reports the open resources. A separate process, so nothing else is counted.
import { getEventListeners } from 'node:events'
import { AudioClient, type CallOptions } from '../../src/index.ts'

const [place = '', baseUrl = ''] = process.argv.slice(2)
const audio = new AudioClient({ apiKey: 'k', baseUrl, timeout: 3_600_000 })
const controller = new AbortController()
const options: CallOptions = { signal: controller.signal }
const { signal } = controller

async function* endless(): AsyncGenerator<Uint8Array, void, undefined> {
  for (;;) {
    await new Promise((resolve) => setImmediate(resolve))
    yield new Uint8Array(64 * 1024)
  }
}

const speech = { model: 'svc-tts-1.5-flash', input: 'Hello' } as const

/** Each starts a call that never ends. */
const places: Readonly<Record<string, () => Promise<unknown>>> = {
  connect: () => audio.models.list(options),
  upload: () => audio.transcriptions.create({ model: 'svc-transcribe-1.0', file: { data: endless } }, options),
  sleep: () => audio.models.list(options),
  stream: async () => {
    for await (const _ of await audio.speech.stream(speech, options));
  },
  poll: () => audio.tasks.wait('t', { ...options, timeout: 3_600_000 }),
  'poll in flight': () => audio.tasks.wait('t', { ...options, timeout: 3_600_000 }),
}

const run = places[place]
if (run === undefined) throw new Error(`No such place: ${place}`)
const failed = run().then(
  () => 'it ended',
  (error: unknown) => error,
)

async function abort(): Promise<void> {
  controller.abort('enough')
  const reason = await failed
  // The time that a socket needs to close.
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setTimeout(resolve, 5))
  process.disconnect()
  await new Promise((resolve) => setImmediate(resolve))
  const left = process.getActiveResourcesInfo().filter((name) => /TCP|Timeout|Connect|FSReq|Immediate/.test(name))
  console.log(JSON.stringify({ reason, left, listeners: getEventListeners(signal, 'abort').length }))
}

process.once('message', () => void abort())
process.send?.('begun')
