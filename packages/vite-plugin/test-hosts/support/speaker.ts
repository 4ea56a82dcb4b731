import { audioBytes, createTestUpstream, speechAudio, type TestUpstream } from '@svc-audio/testing'

/**
 * A service on this machine that speaks every text, as silence.
 * @param charactersPerSecond As people speak: 15. By default each text takes five seconds and a little more.
 */
export async function startSpeaker(charactersPerSecond?: number): Promise<TestUpstream> {
  return (await createTestUpstream()).on('POST /v1/audio/speech', async (exchange) => {
    await exchange.received()
    const { input, response_format } = exchange.request.json as { input: string; response_format: string }
    // Audio of different texts has different lengths.
    const seconds =
      charactersPerSecond === undefined ? 5 + (input.length % 7) / 10 : 0.5 + input.length / charactersPerSecond
    const made = speechAudio(response_format, seconds)
    if (made === undefined) throw new Error(`There is no ${response_format}`)
    return audioBytes(made.bytes, made.contentType)
  })
}
