// An Express app that speaks what a browser types and writes down what a browser uploads.
import { once } from 'node:events'
import { AudioClient, WavMeter } from '@svc-audio/core'
import { audioErrors, speak, transcribeUpload } from '@svc-audio/express-middleware'
import { wordErrorRate } from '@svc-audio/testing'
import express from 'express'
import type { ExampleContext, ExampleOutcome } from './run.ts'

const TEXT = 'We will meet at the old bridge tomorrow morning.'

/** Has a sentence spoken and uploads the audio again, both over HTTP as a browser would. */
export async function run({ baseUrl, apiKey }: ExampleContext): Promise<ExampleOutcome> {
  const client = new AudioClient({ apiKey, baseUrl })

  const app = express()
  // Audio flows out while the service makes it.
  app.post('/speak', express.json(), speak({ client, voice_id: 'rms', response_format: 'wav' }))
  // The upload flows through to the service: no temporary file, no buffer.
  const transcribe = transcribeUpload({ client, model: 'svc-transcribe-1.0', maxFileSize: 25_000_000 })
  app.post('/transcribe', transcribe, (request, response) => {
    response.type('text').send(request.transcription?.text)
  })
  // Refused uploads and a failing service become answers in this app's own words.
  app.use(audioErrors({ onError: (error) => console.error(error) }))

  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  try {
    const headers = { 'content-type': 'application/json' }
    const spoken = await fetch(`${url}/speak`, { method: 'POST', headers, body: JSON.stringify({ text: TEXT }) })
    const audio = new Uint8Array(await spoken.arrayBuffer())
    const meter = new WavMeter()
    meter.add(audio)

    const form = new FormData()
    form.set('file', new Blob([audio], { type: 'audio/wav' }), 'bridge.wav')
    const heard = await fetch(`${url}/transcribe`, { method: 'POST', body: form })
    const transcript = await heard.text()
    return {
      audioSeconds: meter.durationSeconds ?? 0,
      transcript,
      wordErrorRate: wordErrorRate(TEXT, transcript),
      summary: 'spoken and uploaded through an Express app',
    }
  } finally {
    server.closeAllConnections()
    server.close()
    await client.close()
  }
}
