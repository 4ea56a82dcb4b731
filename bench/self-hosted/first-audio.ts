import type { Agent } from 'undici'
import { postSpeech } from './post-speech.ts'
import type { ServerAddress } from './server-protocol.ts'

/** A streaming request. */
export interface StreamRequest {
  readonly input: string
  readonly voiceId: string
}

/** Audible loudness of a 16-bit sample: about −50 dB of the full scale. */
const AUDIBLE = 100

/**
 * Streams speech as PCM and reads it to its end.
 * @returns milliseconds from the call to the first audible sample
 */
export async function firstAudio(
  agent: Agent,
  server: ServerAddress,
  { input, voiceId }: StreamRequest,
): Promise<number> {
  const start = performance.now()
  const body = await postSpeech(agent, server, { input, voice_id: voiceId, response_format: 'pcm', stream: true })
  let first: number | undefined
  for await (const chunk of body) {
    // A chunk may start with half a sample. Silence shows in either half.
    if (first === undefined && isAudible(chunk as Buffer)) first = performance.now() - start
  }
  if (first === undefined) throw new Error('A stream was silent')
  return first
}

function isAudible(chunk: Buffer): boolean {
  for (let at = 0; at + 1 < chunk.length; at += 2) if (Math.abs(chunk.readInt16LE(at)) >= AUDIBLE) return true
  return false
}
