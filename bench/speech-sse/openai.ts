import { Stream } from 'openai/core/streaming'

/** openai's stream decoder, and Base64 as its documentation decodes it. */
export async function decode(body: AsyncIterable<Uint8Array>, onAudio: (pcm: Uint8Array) => void): Promise<void> {
  // It reads nothing but these two, and an iterable body is the cheapest that it takes: a web stream would cost more.
  const response = { body, headers: new Headers() } as unknown as Response
  const events = Stream.fromSSEResponse<{ type: string; audio: string }>(response, new AbortController())
  for await (const event of events) {
    if (event.type === 'speech.audio.delta') onAudio(Buffer.from(event.audio, 'base64'))
  }
}
