import { PureAudioClient, type ResponseBody } from '@svc-audio/core/pure'

/** Core's whole path, from the client's method to the PCM of its `SpeechStream`. */
export async function decode(body: AsyncIterable<Uint8Array>, onAudio: (pcm: Uint8Array) => void): Promise<void> {
  const response: ResponseBody = {
    [Symbol.asyncIterator]: () => body[Symbol.asyncIterator](),
    cancel: () => {},
    release: () => {},
  }
  const client = new PureAudioClient({
    apiKey: 'bench',
    baseUrl: 'http://127.0.0.1',
    // No network and no deadlines: only reading the stream is measured.
    transport: {
      send: async () => ({ status: 200, headers: { 'content-type': 'text/event-stream' }, body: response }),
    },
    clock: { now: () => 0, setTimer: () => () => {} },
  })
  const speech = await client.speech.stream({ model: 'svc-tts-1.5-flash', input: 'Hello' })
  for await (const pcm of speech) onAudio(pcm)
  if (!speech.complete) throw new Error('The stream is not complete')
}
