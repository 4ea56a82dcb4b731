import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { SECONDS_PER_CHARACTER, UPSTREAM_RATE } from './upstream-speech.ts'

/**
 * Process entry: a speech server with OpenAI's route. It thinks for a moment, and then sends a tone as fast as it is
 * heard, as servers on a GPU do that stream. Its audio is PCM, a fixed time for each character of the input.
 */
const THINKING_MS = 200
const STEP_MS = 100

const step = Buffer.alloc((2 * UPSTREAM_RATE * STEP_MS) / 1000)
for (let at = 0; at < step.length; at += 2) {
  step.writeInt16LE(Math.round(8000 * Math.sin((2 * Math.PI * 220 * at) / 2 / UPSTREAM_RATE)), at)
}

async function speak(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const parts: Uint8Array[] = []
  for await (const chunk of request) parts.push(chunk as Uint8Array)
  const { input } = JSON.parse(Buffer.concat(parts).toString()) as { readonly input: string }
  const steps = Math.round((input.length * SECONDS_PER_CHARACTER * 1000) / STEP_MS)
  await sleep(THINKING_MS)
  response.writeHead(200, { 'content-type': 'audio/pcm' })
  const start = performance.now()
  for (let sent = 0; sent < steps && !response.destroyed; sent += 1) {
    response.write(step)
    await sleep(Math.max(0, start + (sent + 1) * STEP_MS - performance.now()))
  }
  response.end()
}

const server = createServer((request, response) => void speak(request, response))
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.send?.({ origin: `http://127.0.0.1:${port}` })
})
process.once('disconnect', () => process.exit())
