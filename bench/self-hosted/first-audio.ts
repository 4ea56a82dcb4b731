import type { Agent } from 'undici'
import { postSpeech } from './post-speech.ts'
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
export async function firstAudio(agent: Agent, server: Server, { input, voiceId }: StreamRequest): Promise<number> {
  const start = performance.now()
  const body = await postSpeech(agent, server, { input, voice_id: voiceId, response_format: 'pcm', stream: true })
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
