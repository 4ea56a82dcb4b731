import { fileURLToPath } from 'node:url'
import { createTestUpstream, longUpload, type RunningScript, startScript, type TestUpstream } from '@svc-audio/testing'
import { afterEach, expect, test } from 'vitest'
import { PLATFORMS } from './support/app.ts'

const MB = 1_000_000
/** The whole process: Node and Nest alone take 112 MB of it. */
const CEILING = 180 * MB
/**
 * A heap as one sets it for a small container. On a machine with much memory V8 lets dead buffers lie until 64 MB
 * of them have gathered, whatever the code does, and a process ends at some 200 MB.
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
  // When the garbage collector runs is not up to the code, the less so on a busy machine. A buffer on the way would
  // show every time.
  { retry: 2 },
  async (platform) => {
    upstream = await createTestUpstream({ apiKey: 'key' })
    app = await startScript(APP, { args: [platform, upstream.url], nodeOptions: [HEAP_LIMIT] })
    const { body } = await longUpload(`${app.printed}/transcribe`, 256 * MB)
    const { bytes, peakBytes } = body as { bytes: number; peakBytes: number }
    expect(bytes).toBe(256 * MB)
    expect(upstream.requests[0]?.form?.files).toMatchObject([{ filename: 'long.wav', bytes: 256 * MB }])
    // Less than Node alone takes would mean that nothing was measured.
    expect(peakBytes).toBeGreaterThan(30 * MB)
    expect(peakBytes).toBeLessThan(CEILING)
  },
)
