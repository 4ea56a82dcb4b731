import { decodeDelta, fastDelta, parseEvent, SseDecoder } from '@svc-audio/core/streaming'

/** Core's parts by hand: events, then their audio. */
export async function decode(body: AsyncIterable<Uint8Array>, onAudio: (pcm: Uint8Array) => void): Promise<void> {
  const decoder = new SseDecoder()
  for await (const chunk of body) {
    for (const data of decoder.feed(chunk)) {
      const audio = fastDelta(data)
      if (audio === undefined) readOther(data, onAudio)
      else onAudio(audio)
    }
  }
}

function readOther(data: Uint8Array, onAudio: (pcm: Uint8Array) => void): void {
  const event = parseEvent(data)
  if (event.type === 'speech.audio.delta') onAudio(decodeDelta(event['audio']))
}
