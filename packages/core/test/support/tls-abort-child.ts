// Starts calls over TLS and aborts them when the parent says so. A process of its own, since it may freeze.
import { AudioClient, nodeTransport } from '../../src/index.ts'

const [baseUrl = '', calls = '1', protocol = 'default'] = process.argv.slice(2)
const transport = protocol === 'h2' ? nodeTransport({ allowH2: true }) : nodeTransport()
const audio = new AudioClient({ apiKey: 'k', baseUrl, maxRetries: 0, transport })
const controller = new AbortController()
const body = { model: 'svc-tts-1.5-flash', input: 'Hello', voice_id: 'v' } as const
const outcomes = Promise.all(
  Array.from({ length: Number(calls) }, () =>
    audio.speech.create(body, { signal: controller.signal }).then(
      () => 'answered',
      (error: unknown) => error,
    ),
  ),
)

process.once('message', () => controller.abort('enough'))
// Also when the calls fail before the abort: the parent reports what they failed with.
const all = await outcomes
// The freeze comes some turns of the event loop after the abort.
await new Promise((resolve) => setTimeout(resolve, 300))
process.send?.(new Set(all).size === 1 ? String(all[0]) : all.map(String))
process.disconnect()
await audio.close()
