import { fileURLToPath } from 'node:url'
import { createTestUpstream, longUpload, type RunningScript, startScript, type TestUpstream } from '@svc-audio/testing'
import { afterEach, expect, test } from 'vitest'

const MB = 1_000_000
/** Bytes of the long upload. */
const LONG = 256 * MB
/**
 * Growth of the whole process that a long upload may cause. A buffered upload would add all its bytes. The size of the
 * process itself differs by machine, so it is measured with a short upload first.
 */
const GROWTH = LONG / 2

/** Node's permissions without writing files: a temporary file would end the app. */
const READ_ONLY = ['--permission', '--allow-fs-read=*']
// Newer versions also restrict the network.
if (process.allowedNodeEnvironmentFlags.has('--allow-net')) READ_ONLY.push('--allow-net')

const APP = fileURLToPath(new URL('support/memory-app.js', import.meta.url))

let upstream: TestUpstream | undefined
let app: RunningScript | undefined
afterEach(async () => {
  await app?.close()
  await upstream?.close()
})

test(
  '256 MB go through an app that grows by less than half of that and may not write a file',
  // The peak also depends on the garbage collector, which a busy machine delays. A buffered upload would exceed the limit
  // every time.
  { retry: 2 },
  async () => {
    upstream = await createTestUpstream({ apiKey: 'key' })
    app = await startScript(APP, { args: [upstream.url], nodeOptions: READ_ONLY })
    const short = await transcribe(MB)
    const { bytes, peakBytes } = await transcribe(LONG)
    expect(bytes).toBe(LONG)
    expect(upstream.requests[1]?.form?.files[0]).toMatchObject({ filename: 'long.wav', bytes: LONG })
    // Less memory than Node alone would mean that the measurement failed.
    expect(short.peakBytes).toBeGreaterThan(30 * MB)
    expect(peakBytes - short.peakBytes).toBeLessThan(GROWTH)
  },
)

async function transcribe(bytes: number) {
  const { body } = await longUpload(`${app?.printed}/transcribe`, bytes)
  return body as { bytes: number; peakBytes: number }
}
