import { pcmSeconds } from '@svc-audio/core/audio'
import type { VoiceEvent } from '../../src/voice/index.ts'
import { Loudspeaker } from './loudspeaker.ts'

/** What a pipeline lets hear, and when: the loudspeaker plays it as a page does. */
export class RoomLog {
  readonly loudspeaker = new Loudspeaker()
  /** Sentences of the current answer, with the second at which each begins. */
  sentences: { readonly text: string; readonly startSecond: number }[] = []
  /** Sentences of the answer before, and where it stood when it was interrupted. */
  cut: { readonly sentences: RoomLog['sentences']; readonly playedSeconds: number } | undefined
  /** Whether the agent works on an answer, or audio of it is still to come. */
  isAnswering = false
  #events: VoiceEvent[] = []
  #givenSeconds = 0
  readonly #waiting = new Set<() => void>()

  /** Reads the events of a pipeline to their end. */
  async read(events: AsyncIterable<VoiceEvent>): Promise<void> {
    for await (const event of events) {
      this.#follow(event)
      if (event.type !== 'tts_chunk' && event.type !== 'agent_chunk') this.#events.push(event)
      for (const wake of this.#waiting) wake()
    }
  }

  /** Forgets the events so far. */
  clear(): void {
    this.#events = []
  }

  /** The events since then. */
  get events(): readonly VoiceEvent[] {
    return this.#events
  }

  /** The first event of a kind since `clear()`, when it is there. @throws Error after three minutes */
  async find<Found extends VoiceEvent>(isWanted: (event: VoiceEvent) => event is Found, what: string): Promise<Found> {
    let found: Found | undefined
    await this.until(() => (found = this.#events.find((event) => isWanted(event))) !== undefined, what)
    if (found === undefined) throw new Error(`Not seen: ${what}`)
    return found
  }

  /** Resolves when something is so. @throws Error after three minutes */
  async until(isSo: () => boolean, what: string): Promise<void> {
    const deadline = performance.now() + 180_000
    while (!isSo()) {
      if (performance.now() > deadline) throw new Error(`Not seen within three minutes: ${what}`)
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#waiting.add(resolve)
      const timer = setTimeout(resolve, 20)
      await promise
      clearTimeout(timer)
      this.#waiting.delete(resolve)
    }
  }

  #follow(event: VoiceEvent): void {
    if (event.type === 'tts_chunk') {
      const seconds = pcmSeconds(event.format, event.audio.byteLength)
      this.#givenSeconds += seconds
      this.loudspeaker.add(seconds)
    } else if (event.type === 'tts_sentence') {
      this.sentences.push({ text: event.text, startSecond: this.#givenSeconds })
    } else if (event.type === 'paused') {
      this.loudspeaker.pause()
    } else if (event.type === 'resumed') {
      this.loudspeaker.resume()
    } else if (event.type === 'interrupted') {
      this.cut = { sentences: this.sentences, playedSeconds: this.loudspeaker.playedSeconds }
    } else if (event.type === 'turn_end') {
      this.isAnswering = false
    } else if (event.type === 'stt_output') {
      this.isAnswering = true
      this.sentences = []
      this.#givenSeconds = 0
      this.loudspeaker.clear()
    }
  }
}
