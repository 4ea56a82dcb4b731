import type { Agent, Dispatcher } from 'undici'
import { BENCH_KEY } from './bench-key.ts'
import type { ServerAddress } from './server-protocol.ts'

/** Sends fields to `POST /v1/audio/speech`. @throws unless the response is 200 */
export async function postSpeech(
  agent: Agent,
  { origin }: ServerAddress,
  fields: Readonly<Record<string, string | boolean>>,
): Promise<Dispatcher.ResponseData['body']> {
  const { statusCode, body } = await agent.request({
    origin,
    path: '/v1/audio/speech',
    method: 'POST',
    headers: { authorization: `Bearer ${BENCH_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'svc-tts-1.5-flash', ...fields }),
  })
  if (statusCode !== 200) throw new Error(`Speech was answered ${statusCode}: ${await body.text()}`)
  return body
}
