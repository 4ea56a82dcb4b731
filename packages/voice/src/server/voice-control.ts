import { type VoiceEvent, voiceEvent } from '../events.ts'

/** What the application lets a conversation do. The pipeline reads it as events `say` and `interrupt`. */
export class VoiceControl implements AsyncIterable<VoiceEvent> {
  #queue: VoiceEvent[] = []
  #ended = false
  #wake: (() => void) | undefined

  /**
   * Lets the agent say something by itself. While it works on an answer, the text is spoken between its sentences; after
   * the answer, or in silence, it is a turn of its own and stands in the history.
   * @param text Text or Markdown. An empty one says nothing.
   */
  say(text: string): void {
    if (text.trim() !== '') this.#push(voiceEvent({ type: 'say', text }))
  }

  /** Ends the answer that is made or spoken, as if the user had spoken. In silence it does nothing. */
  interrupt(): void {
    this.#push(voiceEvent({ type: 'interrupt' }))
  }

  /** The conversation is over: what waits is still read. */
  end(): void {
    this.#ended = true
    this.#wake?.()
  }

  /** The events, until {@link VoiceControl.end}. */
  async *[Symbol.asyncIterator](): AsyncGenerator<VoiceEvent, void, undefined> {
    for (;;) {
      const event = this.#queue.shift()
      if (event !== undefined) {
        yield event
      } else if (this.#ended) {
        return
      } else {
        const { promise, resolve } = Promise.withResolvers<void>()
        this.#wake = resolve
        await promise
      }
    }
  }

  #push(event: VoiceEvent): void {
    if (this.#ended) return
    this.#queue.push(event)
    this.#wake?.()
  }
}
