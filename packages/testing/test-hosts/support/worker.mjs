// A test in a Worker, which cannot listen: client and upstream are in one isolate.
import { AudioClient } from '@svc-audio/core'
import { createInProcessUpstream, createTestClock, cut, status } from '@svc-audio/testing/in-process'

const MODEL = { model: 'svc-tts-1.5-flash', input: 'Hello' }

async function facts() {
  const upstream = createInProcessUpstream()
  const clock = createTestClock()
  const { apiKey, url: baseUrl, transport } = upstream
  const audio = new AudioClient({ apiKey, baseUrl, transport, clock })
  const speech = await (await audio.speech.create({ ...MODEL, voice_id: 'voice-1' })).bytes()
  const { text } = await audio.transcriptions.create({ model: 'svc-transcribe-1.0', file: new Uint8Array(5000) })
  upstream.next('GET /v1/models', status(429, { headers: { 'retry-after': '20' } }))
  const models = audio.models.list()
  clock.advance(await clock.waitForTimer((milliseconds) => milliseconds >= 20_000))
  upstream.next('POST /v1/audio/speech', cut({ afterBytes: 300 }))
  const stream = await audio.speech.stream(MODEL)
  const cutBy = await stream.toWav().catch(({ name }) => name)
  const files = upstream.requests.flatMap(({ form }) => form?.files ?? []).map(({ bytes }) => bytes)
  upstream.next('GET /v1/models', status(500))
  const closed = await upstream.close().catch(({ name }) => name)
  return { audio: speech.byteLength > 1000, text, models: (await models).data.length > 0, cutBy, files, closed }
}

export default {
  async fetch() {
    return Response.json(await facts().catch((error) => String(error?.stack ?? error)))
  },
}
