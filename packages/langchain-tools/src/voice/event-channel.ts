import type { VoiceEvent } from './events.ts'
import { wakeOrAbort } from './wake-or-abort.ts'

/**
 * Events between a stage's work and its reader. Audio waits for the reader, so that synthesis is no faster than it;
 * other events are small and never wait, so that a barge-in is seen at once.
 */
export class EventChannel implements AsyncIterable<VoiceEvent> {
  readonly #maxAudio: number
  #queue: VoiceEvent[] = []
  #audio = 0
  #ended = false
  #failure: { readonly error: unknown } | undefined
  #wakeReader: (() => void) | undefined
  #wakeWriter: (() => void) | undefined

  /** @param maxAudio Most audio events that wait for the reader. */
  constructor(maxAudio = 8) {
    this.#maxAudio = maxAudio
  }

  push(event: VoiceEvent): void {
    this.#queue.push(event)
    if (event.type === 'tts_chunk') this.#audio += 1
    this.#wakeReader?.()
  }

  /** Resolves when the reader has room for audio, or the signal aborts. */
  async room(signal: AbortSignal): Promise<void> {
    while (this.#audio >= this.#maxAudio && !signal.aborted && !this.#ended) {
      await wakeOrAbort(signal, (wake) => {
        this.#wakeWriter = wake
      })
    }
  }

  /** Drops audio and its sentences that the reader has not taken. */
  dropAudio(): void {
    this.#queue = this.#queue.filter(({ type }) => type !== 'tts_chunk' && type !== 'tts_sentence')
    this.#audio = 0
    this.#wakeWriter?.()
  }

  /** @param failure Error for the reader, after the last event. */
  end(failure?: { readonly error: unknown }): void {
    this.#ended = true
    this.#failure ??= failure
    this.#wakeReader?.()
    this.#wakeWriter?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<VoiceEvent, void, undefined> {
    for (;;) {
      const event = this.#queue.shift()
      if (event !== undefined) {
        if (event.type === 'tts_chunk') this.#audio -= 1
        this.#wakeWriter?.()
        yield event
      } else if (this.#ended) {
        if (this.#failure !== undefined) throw this.#failure.error
        return
      } else {
        const { promise, resolve } = Promise.withResolvers<void>()
        this.#wakeReader = resolve
        await promise
      }
    }
  }
}
