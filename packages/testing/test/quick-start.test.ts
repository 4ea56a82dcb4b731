import { AudioClient } from '@svc-audio/core'
import { createTestUpstream, status } from '../src/index.ts'
import { expect, test } from 'vitest'

test('an unknown voice is an error that names it', async () => {
  await using upstream = await createTestUpstream()
  const audio = new AudioClient({ apiKey: upstream.apiKey, baseUrl: upstream.url })
  upstream.next('POST /v1/audio/speech', status(404, { error: { code: 'voice_not_found', param: 'voice_id' } }))
  const speech = audio.speech.create({ model: 'svc-tts-1.5-flash', input: 'Hello', voice_id: 'nobody' })
  await expect(speech).rejects.toMatchObject({ status: 404, code: 'voice_not_found' })
  expect(upstream.requests[0]).toMatchObject({ authorized: true, json: { voice_id: 'nobody' } })
})
