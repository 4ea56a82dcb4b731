// #region shown
import { audio, speak, transcribeUpload } from '@svc-audio/fastify'
import Fastify from 'fastify'
// #endregion
import { type IntegrationContext, type IntegrationOutcome, roundTrip } from './round-trip.ts'

/** Runs a Fastify app over HTTP. */
export async function run({ text, voice_id, client, signal }: IntegrationContext): Promise<IntegrationOutcome> {
  const log: string[] = []
  const logger = { level: 'error', stream: { write: (line: string) => void log.push(line) } }
  // #region shown
  const app = Fastify({ logger })
  await app.register(audio)
  app.post('/speak', speak({ client, voice_id, response_format: 'wav' }))
  app.post('/transcribe', transcribeUpload({ client, model: 'svc-transcribe-1.0' }))
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  // #endregion
  try {
    return await roundTrip({ url, log }, text, signal)
  } finally {
    await app.close()
  }
}
