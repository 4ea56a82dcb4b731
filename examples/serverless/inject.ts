import { audio, transcribeUpload } from '@svc-audio/fastify'
import { AudioClient } from '@svc-audio/core'
import { createTestUpstream, uploadForm, wavFile } from '@svc-audio/testing'
import Fastify from 'fastify'

/** Sends a form to a route without a port. */
export async function injectUpload(bytes: number) {
  // #region inject
  await using upstream = await createTestUpstream({ transcript: 'hello' })
  const client = new AudioClient({ apiKey: upstream.apiKey, baseUrl: upstream.url })
  const app = Fastify()
  await app.register(audio)
  app.post('/transcribe', transcribeUpload({ client, maxFileSize: 100_000 }))

  const form = new Response(uploadForm(wavFile(bytes)))
  const response = await app.inject({
    method: 'POST',
    url: '/transcribe',
    headers: Object.fromEntries(form.headers),
    payload: Buffer.from(await form.arrayBuffer()),
  })
  // #endregion inject
  await client.close()
  return { status: response.statusCode, body: response.json<{ readonly text?: string }>() }
}
