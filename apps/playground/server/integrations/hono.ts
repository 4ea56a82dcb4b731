import { once } from 'node:events'
// #region shown
import { serve } from '@hono/node-server'
import { speak, transcribeUpload } from '@svc-audio/hono'
import { Hono } from 'hono'
// #endregion
import { serverUrl } from '@svc-audio/testing'
import { type IntegrationContext, type IntegrationOutcome, roundTrip } from './round-trip.ts'

/** Runs a Hono app over HTTP. */
export async function run({ text, voice_id, client, signal }: IntegrationContext): Promise<IntegrationOutcome> {
  const log: string[] = []
  const logger = { error: (line: string) => void log.push(line) }
  // #region shown
  const app = new Hono()
  app.post('/speak', speak({ client, voice_id, response_format: 'wav', logger }))
  app.post('/transcribe', transcribeUpload({ client, model: 'svc-transcribe-1.0', logger }))
  const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 })
  // #endregion
  await once(server, 'listening')
  try {
    return await roundTrip({ url: serverUrl(server), log }, text, signal)
  } finally {
    server.close()
  }
}
