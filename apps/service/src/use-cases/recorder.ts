import { once } from 'node:events'
import { PassThrough } from 'node:stream'

/** Takes a copy of what passes and gives it to a consumer that reads at its own pace. */
export interface Recorder {
  /** Waits while the consumer is behind. @throws the consumer's error, once it has failed */
  write(chunk: Uint8Array): Promise<void>
  /** Ends the copy and waits for the consumer. */
  finish(): Promise<void>
  /** Drops the copy: the consumer's source throws. Resolves when it has let go. */
  abort(reason: Error): Promise<void>
}

/** Starts a consumer on a copy that is still to come. */
export function createRecorder(consume: (source: AsyncIterable<Uint8Array>) => Promise<unknown>): Recorder {
  const copy = new PassThrough()
  // The consumer's failure reaches the writer through `consumed`; without a listener it would end the process.
  copy.on('error', () => {})
  let failure: unknown
  const consumed = consume(copy).catch((error: unknown) => {
    failure = error
    copy.destroy(error instanceof Error ? error : new Error('The copy failed', { cause: error }))
  })
  const check = (): void => {
    if (failure !== undefined) throw failure
  }
  return {
    async write(chunk) {
      check()
      if (!copy.write(chunk)) await once(copy, 'drain')
    },
    async finish() {
      copy.end()
      await consumed
      check()
    },
    async abort(reason) {
      copy.destroy(reason)
      await consumed
    },
  }
}
