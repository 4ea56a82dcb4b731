import 'reflect-metadata'
import { invoking, startBridge } from '@svc-audio/kit/behaviour'
import { createTestUpstream, uploadForm, wavFile } from '@svc-audio/testing'
import { expect, test, vi } from 'vitest'

test('the function of the page about functions transcribes an upload, and refuses a long one', async () => {
  await using upstream = await createTestUpstream({ transcript: 'hello' })
  vi.stubEnv('SVC_AUDIO_API_KEY', upstream.apiKey)
  vi.stubEnv('SVC_AUDIO_BASE_URL', upstream.url)
  const { handler } = await import('./support/lambda/handler.ts')
  vi.unstubAllEnvs()
  await using bridge = await startBridge(invoking(handler))
  const post = (bytes: number): Promise<Response> =>
    fetch(`${bridge.url}/transcribe`, { method: 'POST', body: uploadForm(wavFile(bytes)) })
  const transcribed = await post(2000)
  expect([transcribed.status, await transcribed.json()]).toEqual([200, { text: 'hello' }])
  expect((await post(4_000_000)).status).toBe(413)
})
