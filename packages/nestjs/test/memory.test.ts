import { fileURLToPath } from 'node:url'
import { createTestUpstream, longUpload, type RunningScript, startScript, type TestUpstream } from '@svc-audio/testing'
import { afterEach, expect, test } from 'vitest'
import { PLATFORMS } from './support/app.ts'

const MB = 1_000_000
/** Bytes of the long upload. */
const LONG = 256 * MB
/**
 * Growth of the whole process that a long upload may cause. A buffered upload would add all its bytes. The size of the
 * process itself differs by machine, so it is measured with a short upload first.
 */
const GROWTH = LONG / 2
/**
 * A heap limit as for a small container. Without it, V8 collects buffers only after 64 MB of garbage, and the process
 * reaches some 200 MB.
 */
const HEAP_LIMIT = '--max-heap-size=256'

const APP = fileURLToPath(new URL('support/memory-app.js', import.meta.url))

let upstream: TestUpstream | undefined
let app: RunningScript | undefined
afterEach(async () => {
  await app?.close()
  await upstream?.close()
})

test.each(PLATFORMS)(
  '256 MB go through an app on %s that grows by less than half of that',
  // The peak also depends on the garbage collector, which a busy machine delays. A buffered upload would exceed the limit
  // every time.
  { retry: 2 },
  async (platform) => {
    upstream = await createTestUpstream({ apiKey: 'key' })
    app = await startScript(APP, { args: [platform, upstream.url], nodeOptions: [HEAP_LIMIT] })
    const short = await transcribe(MB)
    const { bytes, peakBytes } = await transcribe(LONG)
    expect(bytes).toBe(LONG)
    expect(upstream.requests[1]?.form?.files).toMatchObject([{ filename: 'long.wav', bytes: LONG }])
    // Less memory than Node alone would mean that the measurement failed.
    expect(short.peakBytes).toBeGreaterThan(30 * MB)
    expect(peakBytes - short.peakBytes).toBeLessThan(GROWTH)
  },
)

async function transcribe(bytes: number) {
  const { body } = await longUpload(`${app?.printed}/transcribe`, bytes)
  return body as { bytes: number; peakBytes: number }
}
