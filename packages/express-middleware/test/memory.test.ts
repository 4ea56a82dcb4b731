import { fileURLToPath } from 'node:url'
import { createTestUpstream, longUpload, type RunningScript, startScript, type TestUpstream } from '@svc-audio/testing'
import { afterEach, expect, test } from 'vitest'

const MB = 1_000_000
/** Memory limit of the whole process. Node itself takes some 60 MB of it. */
const CEILING = 180 * MB

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
  '256 MB go through an app that stays under 180 MB and may not write a file',
  // The peak also depends on the garbage collector, which a busy machine delays. A buffered upload would exceed the
  // limit every time.
  { retry: 2 },
  async () => {
    upstream = await createTestUpstream({ apiKey: 'key' })
    app = await startScript(APP, { args: [upstream.url], nodeOptions: READ_ONLY })
    const { body } = await longUpload(`${app.printed}/transcribe`, 256 * MB)
    const { bytes, peakBytes } = body as { bytes: number; peakBytes: number }
    expect(bytes).toBe(256 * MB)
    expect(upstream.requests[0]?.form?.files[0]).toMatchObject({ filename: 'long.wav', bytes: 256 * MB })
    // Less memory than Node alone would mean that the measurement failed.
    expect(peakBytes).toBeGreaterThan(30 * MB)
    expect(peakBytes).toBeLessThan(CEILING)
  },
)
