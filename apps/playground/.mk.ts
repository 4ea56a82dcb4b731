import { startTestPlayground } from './test/support/playground.ts'
import { writeFileSync } from 'node:fs'
import { encodeWav } from '@svc-audio/core/streaming'
const p = await startTestPlayground()
const r = await fetch(p.url + '/api/v1/audio/speech', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    model: 'svc-tts-1.5-flash',
    input: 'What time is it?',
    voice_id: 'slt',
    response_format: 'pcm',
  }),
})
console.log(r.status, r.headers.get('content-type'))
writeFileSync(
  '/tmp/q.wav',
  encodeWav({ sampleRate: 16000, channels: 1, bitDepth: 16 }, [
    new Uint8Array(await r.arrayBuffer()),
    new Uint8Array(96000),
  ]),
)
await p.close()
