import { Stream } from 'openai/core/streaming'

/** openai's stream decoder, with Base64 as in its documentation. */
export async function decode(body: AsyncIterable<Uint8Array>, onAudio: (pcm: Uint8Array) => void): Promise<void> {
  // The decoder reads only these two fields. An iterable body is the cheapest kind that it accepts; a web stream would
  // cost more.
  const response = { body, headers: new Headers() } as unknown as Response
  const events = Stream.fromSSEResponse<{ type: string; audio: string }>(response, new AbortController())
  for await (const event of events) {
    if (event.type === 'speech.audio.delta') onAudio(Buffer.from(event.audio, 'base64'))
  }
}
