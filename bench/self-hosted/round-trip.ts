import { wavHeader } from '@svc-audio/core/audio'
import type { Agent } from 'undici'
import { BENCH_KEY } from './bench-key.ts'
import { postSpeech } from './post-speech.ts'
import type { ServerAddress } from './server-protocol.ts'

/** Result of an engine. */
export interface Timed<Value> {
  readonly value: Value
  readonly seconds: number
}

/** Bytes a second of the service's WAV: 16 kHz, one channel, 16 bits. */
const BYTES_A_SECOND = 32_000
const WAV_HEADER_BYTES = 44

/** Length of a WAV file of the service, in seconds. */
export function secondsOf(wav: Uint8Array): number {
  return (wav.length - WAV_HEADER_BYTES) / BYTES_A_SECOND
}

/** A silent WAV file. */
export function silentWav(seconds: number): Uint8Array<ArrayBuffer> {
  const bytes = seconds * BYTES_A_SECOND
  const wav = new Uint8Array(WAV_HEADER_BYTES + bytes)
  wav.set(wavHeader({ sampleRate: 16_000, channels: 1, bitDepth: 16 }, bytes))
  return wav
}

/** Speaks a text. */
export async function speak(
  agent: Agent,
  server: ServerAddress,
  { input, voiceId, format }: { readonly input: string; readonly voiceId: string; readonly format: string },
): Promise<Timed<Uint8Array<ArrayBuffer>>> {
  const start = performance.now()
  const body = await postSpeech(agent, server, { input, voice_id: voiceId, response_format: format })
  const value = new Uint8Array(await body.arrayBuffer())
  return { value, seconds: (performance.now() - start) / 1000 }
}

/** Transcribes a file. @returns its text */
export async function transcribe(
  { origin }: ServerAddress,
  file: Uint8Array<ArrayBuffer>,
  model: string,
): Promise<Timed<string>> {
  const form = new FormData()
  form.append('model', model)
  form.append('file', new Blob([file]), 'speech')
  const start = performance.now()
  const headers = { authorization: `Bearer ${BENCH_KEY}` }
  const response = await fetch(`${origin}/v1/audio/transcriptions`, { method: 'POST', headers, body: form })
  if (!response.ok) throw new Error(`A transcription was answered ${response.status}: ${await response.text()}`)
  // The response of our service has this field.
  const { text } = (await response.json()) as { text: string }
  return { value: text, seconds: (performance.now() - start) / 1000 }
}
