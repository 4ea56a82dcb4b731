import { fileURLToPath } from 'node:url'
import { createTestUpstream, longUpload, type RunningScript, startScript, type TestUpstream } from '@svc-audio/testing'
import { afterEach, expect, test } from 'vitest'
import { PLATFORMS } from './support/app.ts'

const MB = 1_000_000
/** Limit of the whole process. Node and Nest alone take 112 MB of it. */
const CEILING = 180 * MB
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
  '256 MB go through an app on %s that stays under 180 MB',
  // The peak also depends on the garbage collector, which a busy machine delays. A buffered upload would exceed the limit
  // every time.
  { retry: 2 },
  async (platform) => {
    upstream = await createTestUpstream({ apiKey: 'key' })
    app = await startScript(APP, { args: [platform, upstream.url], nodeOptions: [HEAP_LIMIT] })
    const { body } = await longUpload(`${app.printed}/transcribe`, 256 * MB)
    const { bytes, peakBytes } = body as { bytes: number; peakBytes: number }
    expect(bytes).toBe(256 * MB)
    expect(upstream.requests[0]?.form?.files).toMatchObject([{ filename: 'long.wav', bytes: 256 * MB }])
    // Less memory than Node alone would mean that the measurement failed.
    expect(peakBytes).toBeGreaterThan(30 * MB)
    expect(peakBytes).toBeLessThan(CEILING)
  },
)
