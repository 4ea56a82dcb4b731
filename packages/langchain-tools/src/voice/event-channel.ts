import { setTimeout } from 'node:timers/promises'
import type { VoiceEvent } from '@svc-audio/voice'

/** Milliseconds between two looks at the player's position, while audio waits for it. */
const LOOK_INTERVAL = 20

/**
 * Events between a stage's work and its reader. Audio waits for the reader, so that synthesis is no faster than it;
 * other events are small and never wait, so that a barge-in is seen at once.
 */
export class EventChannel implements AsyncIterable<VoiceEvent> {
  readonly #maxAudio: number
  #queue: VoiceEvent[] = []
  #audio = 0
  #isHeld = false
  #isWaiting = false
  #hasRoom: () => boolean = () => true
  #ended = false
  #failure: { readonly error: unknown } | undefined
  #wakeReader: (() => void) | undefined
  #wakeWriter: (() => void) | undefined
  #wakePasser: (() => void) | undefined

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

  /** Audio waits until the player has room. @param hasRoom Asked every few milliseconds while audio waits. */
  playInto(hasRoom: () => boolean): void {
    this.#hasRoom = hasRoom
  }

  /** Keeps audio from the reader. Other events pass. */
  hold(): void {
    this.#isHeld = true
  }

  /** Hands out audio again. @param first Events before it. What else has not been read comes before them. */
  release(...first: readonly VoiceEvent[]): void {
    const unread: VoiceEvent[] = []
    for (let event = this.#take(false); event !== undefined; event = this.#take(false)) unread.push(event)
    this.#queue.unshift(...unread, ...first)
    this.#isHeld = false
    this.#wakeReader?.()
  }

  /** Resolves when the reader has worked through all events so far and waits for the next, or the signal aborts. */
  async passed(signal: AbortSignal): Promise<void> {
    while (!(this.#isWaiting && this.#queue.length === 0) && !signal.aborted && !this.#ended) {
      await wakeOrAbort(signal, (wake) => {
        this.#wakePasser = wake
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
    // After a failure nobody releases what is held.
    if (failure !== undefined) {
      this.dropAudio()
      this.#isHeld = false
    }
    this.#wakeReader?.()
    this.#wakeWriter?.()
    this.#wakePasser?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<VoiceEvent, void, undefined> {
    for (;;) {
      const hasRoom = this.#isHeld || this.#hasRoom()
      const event = this.#take(!this.#isHeld && hasRoom)
      if (event !== undefined) {
        if (event.type === 'tts_chunk') this.#audio -= 1
        this.#wakeWriter?.()
        yield event
      } else if (this.#ended && this.#queue.length === 0) {
        if (this.#failure !== undefined) throw this.#failure.error
        return
      } else {
        await this.#wait(hasRoom ? undefined : LOOK_INTERVAL)
      }
    }
  }

  /** @param withAudio Whether audio may go. Its end never overtakes it. */
  #take(withAudio: boolean): VoiceEvent | undefined {
    if (withAudio) return this.#queue.shift()
    let isBehindAudio = this.#isHeld
    const index = this.#queue.findIndex(({ type }) => {
      const isAudio = type === 'tts_chunk' || type === 'tts_sentence'
      isBehindAudio ||= isAudio
      return !isAudio && !(type === 'turn_end' && isBehindAudio)
    })
    return index === -1 ? undefined : this.#queue.splice(index, 1)[0]
  }

  async #wait(interval: number | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wakeReader = resolve
    this.#isWaiting = true
    this.#wakePasser?.()
    await (interval === undefined ? promise : Promise.race([promise, setTimeout(interval)]))
    this.#isWaiting = false
  }
}

/** Waits for `wake()` or an abort. Removes its listener. @param arm Receives `wake`. */
export async function wakeOrAbort(signal: AbortSignal, arm: (wake: () => void) => void): Promise<void> {
  if (signal.aborted) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const wake = (): void => resolve()
  signal.addEventListener('abort', wake, { once: true })
  arm(wake)
  await promise
  signal.removeEventListener('abort', wake)
}

/**
 * Runs a stage's work beside its reader. Ending the reading aborts the work and ends the input that it reads.
 * @param work Reads `input` to its end and pushes into the channel.
 */
export async function* runStage<Item>(
  input: AsyncIterable<Item>,
  signal: AbortSignal | undefined,
  work: (input: AsyncIterable<Item>, out: EventChannel, signal: AbortSignal) => Promise<void>,
): AsyncGenerator<VoiceEvent, void, undefined> {
  const controller = new AbortController()
  const both = signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal])
  const out = new EventChannel()
  const onAbort = (): void => out.end({ error: both.reason })
  both.addEventListener('abort', onAbort, { once: true })
  if (both.aborted) onAbort()
  const source = input[Symbol.asyncIterator]()
  const running = work({ [Symbol.asyncIterator]: () => source }, out, both).then(
    () => out.end(),
    (error: unknown) => out.end({ error }),
  )
  try {
    yield* out
  } finally {
    both.removeEventListener('abort', onAbort)
    controller.abort()
    // A source that waits for input cannot be awaited: it ends when its own input does.
    source.return?.()?.then(undefined, () => {})
    void running
  }
}
