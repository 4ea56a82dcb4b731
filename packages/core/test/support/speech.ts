import type { ServerResponse } from 'node:http'

/** A valid body of `speech.create`. */
export const SPEECH = { model: 'svc-tts-1.5-flash', input: 'Good morning', voice_id: 'voice-1' } as const
/** A valid body of `speech.stream`. */
export const STREAM = { model: 'svc-tts-1.5-flash', input: 'Good morning' } as const

/** Events as in the examples of the interface. */
export const TASK = {
  type: 'task.created',
  task_id: 'task-1',
  object: 'audio.speech',
  status: 'PROCESSING',
  model: 'm',
}
export const CREATED = { type: 'speech.created', format: 'pcm', sample_rate: 24_000, channels: 1, bit_depth: 16 }
export const DONE = { type: 'speech.audio.done' }

/** An audio event. */
export function delta(audio: Uint8Array): object {
  return { type: 'speech.audio.delta', audio: Buffer.from(audio).toString('base64') }
}

/** Events as frames (interface: "Each frame is `data: <JSON>`; no `event:` line"). */
export function frames(...events: readonly object[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
}

/** PCM that is equal in every run. It has no period, so a lost chunk always shows. */
export function pcm(bytes: number, seed = 1): Uint8Array {
  let state = seed
  return Uint8Array.from({ length: bytes }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state >> 16
  })
}

/** The headers of an event stream (interface: streaming speech). */
export function openEvents(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-request-id': 'req-1' })
}

/** Answers with these events and ends. */
export function sendEvents(response: ServerResponse, ...events: readonly object[]): void {
  openEvents(response)
  response.end(frames(...events))
}

/** The headers of raw PCM (interface: streaming speech). */
export const PCM_HEADERS = {
  'content-type': 'audio/pcm',
  'x-sample-rate': '16000',
  'x-channels': '2',
  'x-bit-depth': '16',
} as const
