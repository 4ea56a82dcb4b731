import { startService } from '@svc-audio/service'
import { BEEPER } from './beep-engine.ts'

const service = await startService({
  dataDir: 'data',
  port: 0,
  apiKeys: new Map([['my-key', 'me']]),
  engines: { speech: BEEPER },
})
const send = (path: string, body?: object): Promise<Response> =>
  fetch(`${service.url}${path}`, {
    headers: { authorization: 'Bearer my-key', 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  })
const body = { model: 'svc-tts-1.5-flash', input: 'Hi there', voice_id: 'beep', response_format: 'wav' }
const audio = await (await send('/v1/audio/speech', body)).arrayBuffer()
const voices = await (await send('/v1/audio/voices')).json()
const health = await (await send('/readyz')).json()
console.log(JSON.stringify({ seconds: (audio.byteLength - 44) / 32_000, voices, health }))
await service.close()
