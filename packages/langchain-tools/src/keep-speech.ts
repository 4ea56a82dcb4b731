import { type AudioBody, ProtocolError, WavMeter } from '@svc-audio/core'
import type { SpeakArtifact } from './artifacts.ts'
import { storeFailed } from './errors/store-failed.ts'
import { type AudioStore, isAudioId, type StoredAudio } from './store/audio-store.ts'

/**
 * Streams speech into a store and measures it on the way.
 * @throws the speech's own error if it fails, else `store_failed` if the store does
 */
export async function keepSpeech(
  store: AudioStore,
  speech: AudioBody,
  signal: AbortSignal | undefined,
): Promise<SpeakArtifact> {
  const passing = new PassingSpeech(speech)
  let stored: StoredAudio
  try {
    stored = await store.put(passing, { contentType: speech.contentType, signal })
  } catch (error) {
    throw passing.failure ?? storeFailed(error)
  } finally {
    // A store that gave up early has left the rest unread.
    speech.cancel()
  }
  if (!passing.ended) throw storeFailed(new Error('The AudioStore did not read the audio to its end'))
  if (!isAudioId(stored.id)) throw storeFailed(new Error('The AudioStore gave the audio an id that no id can be'))
  const { id, path, url, contentType } = stored
  const { bytes, durationSeconds } = passing
  return {
    type: 'audio',
    id,
    ...(path === undefined ? {} : { path }),
    ...(url === undefined ? {} : { url }),
    contentType,
    ...(durationSeconds === undefined ? {} : { durationSeconds }),
    bytes,
  }
}

/** Speech on its way into a store. */
class PassingSpeech implements AsyncIterable<Uint8Array> {
  bytes = 0
  /** Whether it was read to its end. */
  ended = false
  /** What made the speech itself fail, so that it is not taken for a failure of the store. */
  failure: unknown
  readonly #speech: AudioBody
  readonly #meter = new WavMeter()

  constructor(speech: AudioBody) {
    this.#speech = speech
  }

  get durationSeconds(): number | undefined {
    return this.#meter.durationSeconds
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for await (const chunk of this.#speech) {
        this.bytes += chunk.byteLength
        this.#meter.add(chunk)
        yield chunk
      }
      if (this.bytes === 0) throw new ProtocolError('The service answered with no audio')
      this.ended = true
    } catch (error) {
      this.failure = error
      throw error
    }
  }
}
