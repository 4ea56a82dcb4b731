import type { AudioClient } from '@svc-audio/core'
import type { RequestHandler } from 'express'
import type { VoicesAnswer } from '../../shared/api.ts'

/** Answers with the voices, the service's default first. */
export function listVoices(client: AudioClient): RequestHandler {
  return async (_request, response) => {
    const { data } = await client.voices.list({ limit: 150 })
    response.json({ voices: data.map(({ id, name }) => ({ id, name })) } satisfies VoicesAnswer)
  }
}
