import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { type Platform, PLATFORMS } from './support/app.ts'
import { wav } from './support/browser.ts'

const MB = 1_000_000
/** The whole process: Node and Nest alone take 112 MB of it. */
const CEILING = 180 * MB
/**
 * A heap as one sets it for a small container. On a machine with much memory V8 lets dead buffers lie until 64 MB
 * of them have gathered, whatever the code does, and a process ends at some 200 MB.
 */
const HEAP_LIMIT = '--max-heap-size=256'

let service: Server | undefined
let child: ChildProcess | undefined
afterEach(() => {
  child?.kill()
  service?.close()
})

/** A service that counts what it is sent and keeps nothing. */
async function startCounter(): Promise<{ url: string; taken: () => number }> {
  let taken = 0
  service = createServer((incoming, response) => {
    incoming.on('data', (chunk: Buffer) => {
      taken += chunk.byteLength
    })
    incoming.once('end', () => response.end('{"text":"done"}'))
  })
  service.listen(0, '127.0.0.1')
  await once(service, 'listening')
  return { url: `http://127.0.0.1:${(service.address() as AddressInfo).port}`, taken: () => taken }
}

async function startChild(platform: Platform, serviceUrl: string): Promise<string> {
  const script = fileURLToPath(new URL('support/memory-app.js', import.meta.url))
  const stdio = ['ignore', 'pipe', 'inherit'] as const
  child = spawn(process.execPath, [HEAP_LIMIT, script, platform, serviceUrl], { stdio: [...stdio] })
  const { stdout } = child
  if (stdout === null) throw new Error('the app has no output')
  const [line] = (await once(stdout.setEncoding('utf8'), 'data')) as [string]
  return line.trim()
}

/** A form with a file of `size` bytes, made as it is sent. */
function* longForm(boundary: string, size: number): Generator<Buffer> {
  yield Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="long.wav"\r\n\r\n`)
  yield wav(0)
  const piece = Buffer.alloc(64 * 1024)
  for (let left = size - 44; left > 0; left -= piece.byteLength) yield piece.subarray(0, left)
  yield Buffer.from(`\r\n--${boundary}--\r\n`)
}

async function upload(url: string, size: number): Promise<{ bytes: number; peakBytes: number }> {
  const boundary = 'memory-boundary'
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
  const sending = request(`${url}/transcribe`, { method: 'POST', headers })
  const answered = once(sending, 'response') as Promise<[Readable]>
  await pipeline(Readable.from(longForm(boundary, size)), sending)
  const [answer] = await answered
  return (await new Response(Readable.toWeb(answer)).json()) as { bytes: number; peakBytes: number }
}

test.each(PLATFORMS)(
  '256 MB go through an app on %s that stays under 180 MB',
  // When the garbage collector runs is not up to the code, the less so on a busy machine. A buffer on the way would
  // show every time.
  { retry: 2 },
  async (platform) => {
    const { url, taken } = await startCounter()
    const { bytes, peakBytes } = await upload(await startChild(platform, url), 256 * MB)
    expect(bytes).toBe(256 * MB)
    expect(taken()).toBeGreaterThan(256 * MB)
    // Less than Node alone takes would mean that nothing was measured.
    expect(peakBytes).toBeGreaterThan(30 * MB)
    expect(peakBytes).toBeLessThan(CEILING)
  },
)
