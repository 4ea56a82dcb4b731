import type { Agent } from 'undici'
import { BENCH_KEY } from './bench-key.ts'
import type { Server } from './server.ts'

/** What is streamed. */
export interface StreamRequest {
  readonly input: string
  readonly voiceId: string
}

/** Loudness from which a sample of 16 bits is heard: about −50 dB of the full scale. */
const AUDIBLE = 100

/**
 * Streams speech as PCM and reads it to its end.
 * @returns milliseconds from the call to the arrival of the first sample that can be heard
 */
export async function firstAudio(agent: Agent, { origin }: Server, request: StreamRequest): Promise<number> {
  const start = performance.now()
  const { statusCode, body } = await agent.request({
    origin,
    path: '/v1/audio/speech',
    method: 'POST',
    headers: { authorization: `Bearer ${BENCH_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'svc-tts-1.5-flash',
      input: request.input,
      voice_id: request.voiceId,
      response_format: 'pcm',
      stream: true,
    }),
  })
  if (statusCode !== 200) throw new Error(`A stream was answered ${statusCode}: ${await body.text()}`)
  let first: number | undefined
  for await (const chunk of body) {
    // A chunk may begin in the middle of a sample; which half it begins with does not change whether it is silent.
    if (first === undefined && isAudible(chunk as Buffer)) first = performance.now() - start
  }
  if (first === undefined) throw new Error('A stream was silent')
  return first
}

function isAudible(chunk: Buffer): boolean {
  for (let at = 0; at + 1 < chunk.length; at += 2) if (Math.abs(chunk.readInt16LE(at)) >= AUDIBLE) return true
  return false
}
