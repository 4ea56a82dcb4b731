import { fileURLToPath } from 'node:url'
import { createTestUpstream, longUpload, type RunningScript, startScript, type TestUpstream } from '@svc-audio/testing'
import { afterEach, expect, test } from 'vitest'

const MB = 1_000_000
/** The whole process: Node itself takes some 60 MB of it. */
const CEILING = 180 * MB

/** Node's permissions without the one to write files: a temporary file would end the app. */
const READ_ONLY = ['--permission', '--allow-fs-read=*']
// Newer versions guard the network as well.
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
  // What the process holds at its peak is up to the garbage collector, too, which a busy machine delays. A buffer on the
  // way would show every time.
  { retry: 2 },
  async () => {
    upstream = await createTestUpstream({ apiKey: 'key' })
    app = await startScript(APP, { args: [upstream.url], nodeOptions: READ_ONLY })
    const { body } = await longUpload(`${app.printed}/transcribe`, 256 * MB)
    const { bytes, peakBytes } = body as { bytes: number; peakBytes: number }
    expect(bytes).toBe(256 * MB)
    expect(upstream.requests[0]?.form?.files[0]).toMatchObject({ filename: 'long.wav', bytes: 256 * MB })
    // Less than Node alone takes would mean that nothing was measured.
    expect(peakBytes).toBeGreaterThan(30 * MB)
    expect(peakBytes).toBeLessThan(CEILING)
  },
)
