// #region shown
import { audioErrors, speak, transcribeUpload } from '@svc-audio/express-middleware'
import express from 'express'
// #endregion
import { roundTrip } from '../support/round-trip.ts'
import { serve } from '../support/serve.ts'
import type { IntegrationContext, IntegrationOutcome } from './integration.ts'

/** Runs an Express app over HTTP. */
export async function run({ text, voice_id, client, signal }: IntegrationContext): Promise<IntegrationOutcome> {
  // #region shown
  const app = express()
  const speaking = speak({ client, voice_id, response_format: 'wav' })
  const transcribing = transcribeUpload({ client, model: 'svc-transcribe-1.0' })

  app.post('/speak', express.json(), speaking)
  app.post('/transcribe', transcribing, (request, response) => {
    response.json(request.transcription)
  })
  app.use(audioErrors())
  // #endregion
  const server = await serve(app)
  try {
    return await roundTrip(server.url, text, signal)
  } finally {
    await server.close()
  }
}
