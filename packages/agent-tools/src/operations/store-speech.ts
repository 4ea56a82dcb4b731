import { type AudioBody, ProtocolError } from '@svc-audio/core'
import { WavMeter } from '@svc-audio/core/audio'
import { storeFailed } from '../errors/store-failed.ts'
import type { Budget } from '../run/budget.ts'
import type { RunScope } from '../run/run-context.ts'
import { isAudioId, type StoredAudio } from '../store/audio-store.ts'
import type { OperationResult } from './operation.ts'
import type { SpeakArtifact } from './artifacts.ts'

/** Bytes between two reports of progress. */
const PROGRESS_BYTES = 256 * 1024

/**
 * Asks the service for speech and streams it into the store. A store that is not ready is noticed before the request.
 * @throws the request's own error if it fails, else `store_failed` if the store does
 */
export async function storeSpeech(
  scope: RunScope,
  budget: Budget,
  request: () => Promise<AudioBody>,
): Promise<OperationResult<SpeakArtifact>> {
  const { store } = scope.options
  await store.ready?.(scope.access).catch((error: unknown) => {
    scope.signal?.throwIfAborted()
    throw storeFailed(error)
  })
  const speech = await request()
  const artifact = { ...(await put(scope, speech)), spent: budget.spentBy(scope) }
  const { durationSeconds, id } = artifact
  const length = durationSeconds === undefined ? '' : `: ${durationSeconds.toFixed(1)} seconds of audio`
  return { content: `Spoken${length}. Reference: ${id}`, artifact }
}

async function put({ options, access, progress }: RunScope, speech: AudioBody): Promise<Omit<SpeakArtifact, 'spent'>> {
  const passing = new PassingSpeech(speech, progress)
  let stored: StoredAudio
  try {
    stored = await options.store.put(passing, { ...access, contentType: speech.contentType })
  } catch (error) {
    throw passing.failure ?? storeFailed(error)
  } finally {
    // A store that stopped early leaves the rest unread.
    speech.cancel()
  }
  if (!passing.ended)
    throw storeFailed(
      new Error('The AudioStore returned before it had read all audio. Read `chunks` to the end in put()'),
    )
  if (!isAudioId(stored.id))
    throw storeFailed(
      new Error('The AudioStore returned an invalid id. Return 1 to 200 letters, digits, dots, underscores or hyphens'),
    )
  const { id, url, contentType } = stored
  const { bytes, durationSeconds } = passing
  return {
    type: 'audio',
    id,
    ...(url === undefined ? {} : { url }),
    contentType,
    ...(durationSeconds === undefined ? {} : { durationSeconds }),
    bytes,
    ...(speech.requestId === undefined ? {} : { requestId: speech.requestId }),
  }
}

/** Speech on its way into a store. */
class PassingSpeech implements AsyncIterable<Uint8Array> {
  bytes = 0
  /** Whether it was read to its end. */
  ended = false
  /** Why the speech itself failed, so that it is not taken for a failure of the store. */
  failure: unknown
  readonly #speech: AudioBody
  readonly #progress: RunScope['progress']
  readonly #meter = new WavMeter()
  #reported = 0

  constructor(speech: AudioBody, progress: RunScope['progress']) {
    this.#speech = speech
    this.#progress = progress
  }

  get durationSeconds(): number | undefined {
    return this.#meter.durationSeconds
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for await (const chunk of this.#speech) {
        this.#count(chunk)
        yield chunk
      }
      if (this.bytes === 0) throw new ProtocolError('The service answered with no audio')
      this.#progress('receiving', this.bytes, this.bytes)
      this.ended = true
    } catch (error) {
      this.failure = error
      throw error
    }
  }

  #count(chunk: Uint8Array): void {
    this.bytes += chunk.byteLength
    this.#meter.add(chunk)
    if (this.bytes - this.#reported < PROGRESS_BYTES) return
    this.#reported = this.bytes
    this.#progress('receiving', this.bytes, this.#speech.contentLength)
  }
}
