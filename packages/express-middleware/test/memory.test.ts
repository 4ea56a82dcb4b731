import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { createTestUpstream, type TestUpstream } from '@svc-audio/testing'
import { afterEach, expect, test } from 'vitest'
import { wav } from './support/browser.ts'

const MB = 1_000_000
/** The whole process: Node itself takes some 60 MB of it. */
const CEILING = 180 * MB

/** Node's permissions without the one to write files: a temporary file would end the app. */
const READ_ONLY = ['--permission', '--allow-fs-read=*']
// Newer versions guard the network as well.
if (process.allowedNodeEnvironmentFlags.has('--allow-net')) READ_ONLY.push('--allow-net')

let upstream: TestUpstream | undefined
let child: ChildProcess | undefined
afterEach(async () => {
  child?.kill()
  await upstream?.close()
})

async function startChild(serviceUrl: string): Promise<string> {
  const script = fileURLToPath(new URL('support/memory-app.js', import.meta.url))
  child = spawn(process.execPath, [...READ_ONLY, script, serviceUrl], { stdio: ['ignore', 'pipe', 'inherit'] })
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

test(
  '256 MB go through an app that stays under 180 MB and may not write a file',
  // What the process holds at its peak is up to the garbage collector, too, which a busy machine delays. A buffer on the
  // way would show every time.
  { retry: 2 },
  async () => {
    upstream = await createTestUpstream({ apiKey: 'key' })
    const { bytes, peakBytes } = await upload(await startChild(upstream.url), 256 * MB)
    expect(bytes).toBe(256 * MB)
    expect(upstream.requests[0]?.form?.files[0]).toMatchObject({ filename: 'long.wav', bytes: 256 * MB })
    // Less than Node alone takes would mean that nothing was measured.
    expect(peakBytes).toBeGreaterThan(30 * MB)
    expect(peakBytes).toBeLessThan(CEILING)
  },
)
