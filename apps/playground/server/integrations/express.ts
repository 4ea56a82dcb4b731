import { randomUUID } from 'node:crypto'
// #region shown
import { createWebhookReceiver } from '@svc-audio/core/webhooks'
import { audioErrors, audioWebhooks, speak, transcribeUpload } from '@svc-audio/express-middleware'
import express from 'express'
// #endregion
import { callbackTrip, type IntegrationContext, type IntegrationOutcome, NO_CALLBACK, roundTrip } from './round-trip.ts'
import { serve } from '../http.ts'

/** Runs an Express app over HTTP. */
export async function run({
  text,
  voice_id,
  client,
  callbacks,
  signal,
}: IntegrationContext): Promise<IntegrationOutcome> {
  const log: string[] = []
  const logger = { error: (line: string) => void log.push(line) }
  const { promise: finished, resolve } = Promise.withResolvers<string>()
  const secret = randomUUID() + randomUUID()
  const app = express()
  const server = await serve(app)
  const url = `${server.url}/hooks/audio`
  // #region shown
  const voice = { client, voice_id, response_format: 'wav' } as const
  app.post('/speak', express.json(), speak(voice))

  const listen = transcribeUpload({ client, model: 'svc-transcribe-1.0' })
  app.post('/transcribe', listen, (request, response) => {
    response.json(request.transcription)
  })

  const handlers = { 'audio.speech': ({ id }: { id: string }) => resolve(id) }
  const receiver = createWebhookReceiver({ client, secret, url, handlers })
  const webhook_url = async () => (await receiver.createCallback()).url
  app.use('/hooks/audio', audioWebhooks({ receiver }))
  app.post('/tasks', express.json(), speak({ ...voice, respond: 'task', webhook_url }))
  app.use(audioErrors({ logger }))
  // #endregion
  try {
    const running = { url: server.url, log }
    const outcome = await roundTrip(running, text, signal)
    const callback = callbacks ? await callbackTrip(running, text, { client, finished }, signal) : NO_CALLBACK
    return { ...outcome, steps: [...outcome.steps, callback] }
  } finally {
    await server.close()
  }
}
