import { type Open, pcmSeconds, type PureAudioClient, type StreamingSpeechModel } from '@svc-audio/core'
import { createTextSplitter, speakable, type TextSplitter } from '@svc-audio/text'
import type { VoiceConversation } from './conversation.ts'
import type { EventChannel } from './event-channel.ts'
import { type VoiceEvent, voiceEvent } from './events.ts'
import { runStage } from './run-stage.ts'
import { SpokenTurn } from './spoken-turn.ts'
import { wakeOrAbort } from './wake-or-abort.ts'

/** Options of {@link speakStage}. */
export interface SpeakStageOptions {
  readonly client: PureAudioClient
  readonly voice_id: string
  /** @default 'svc-tts-1.5-flash' */
  readonly model?: Open<StreamingSpeechModel>
  /** Speaking rate, 0.25 to 4. @default 1 */
  readonly speed?: number
  /** Language of the text, for its sentences and the service's hint. @default 'en' for sentences, no hint */
  readonly language?: string
  /**
   * Seconds of this answer that the user has heard, from the player. It is asked at a barge-in.
   * @default all audio that was taken from this stage counts as heard
   */
  readonly playedSeconds?: () => number
  /** The one of `agentStage`: an interrupted answer is cut to what was heard. */
  readonly conversation?: VoiceConversation
  /** Ends the pipeline. */
  readonly signal?: AbortSignal
}

/**
 * Text to speech, sentence by sentence while the agent still answers: `tts_sentence` and `tts_chunk` events, then
 * `turn_end`. Synthesis is no faster than the reader takes audio. `user_input` aborts it upstream, drops audio that was
 * not taken, and reports what was heard as `interrupted`.
 */
export async function* speakStage(
  events: AsyncIterable<VoiceEvent>,
  options: SpeakStageOptions,
): AsyncGenerator<VoiceEvent, void, undefined> {
  let speaker: Speaker | undefined
  const stage = runStage(events, options.signal, async (source, out, signal) => {
    for await (const event of source) {
      if (event.type === 'user_input') {
        const heard = await speaker?.interrupt()
        speaker = undefined
        if (heard !== undefined) out.push(voiceEvent({ type: 'interrupted', heard }))
      }
      out.push(event)
      if (event.type === 'agent_chunk') {
        speaker ??= new Speaker(options, out, signal)
        speaker.add(event.text)
      } else if (event.type === 'agent_end') {
        speaker?.end()
      }
    }
    speaker?.end()
    await speaker?.done
  })
  for await (const event of stage) {
    if (event.type === 'tts_chunk') speaker?.taken(event.audio.byteLength, event)
    yield event
  }
}

/** Speaks one answer. */
class Speaker {
  readonly done: Promise<void>
  readonly #options: SpeakStageOptions
  readonly #out: EventChannel
  readonly #controller = new AbortController()
  readonly #signal: AbortSignal
  readonly #splitter: TextSplitter
  readonly #turn = new SpokenTurn()
  readonly #sentences: string[] = []
  /** Messages of the conversation before this answer. */
  readonly #before: number | undefined
  #complete = false
  #finished = false
  #wake: (() => void) | undefined

  constructor(options: SpeakStageOptions, out: EventChannel, signal: AbortSignal) {
    const { language, conversation } = options
    this.#options = options
    this.#out = out
    this.#signal = AbortSignal.any([signal, this.#controller.signal])
    this.#splitter = createTextSplitter(language === undefined ? {} : { language })
    this.#before = conversation?.messages.length
    this.done = this.#run()
  }

  add(text: string): void {
    this.#queue(this.#splitter.push(text))
  }

  /** The answer is complete. */
  end(): void {
    if (this.#complete) return
    this.#queue(this.#splitter.end())
    this.#complete = true
    this.#wake?.()
  }

  /** The reader has taken audio. */
  taken(bytes: number, { format }: Extract<VoiceEvent, { type: 'tts_chunk' }>): void {
    this.#turn.takenSeconds += pcmSeconds(format, bytes)
  }

  /** Stops speaking. @returns What was heard; `undefined` when the answer was over and all of it heard. */
  async interrupt(): Promise<string | undefined> {
    const { playedSeconds, conversation } = this.#options
    const { takenSeconds } = this.#turn
    const played = Math.min(playedSeconds?.() ?? takenSeconds, takenSeconds)
    const over = this.#finished && played >= this.#turn.madeSeconds
    this.#controller.abort()
    this.#out.dropAudio()
    await this.done
    if (over) return undefined
    const heard = this.#turn.heard(played)
    if (this.#before !== undefined) conversation?.heard(heard, this.#before)
    return heard
  }

  #queue(sentences: readonly string[]): void {
    this.#sentences.push(...sentences)
    this.#wake?.()
  }

  async #run(): Promise<void> {
    try {
      for (let text = await this.#next(); text !== undefined; text = await this.#next()) await this.#speak(text)
      await this.#out.room(this.#signal)
      this.#signal.throwIfAborted()
      this.#finished = true
      this.#out.push(voiceEvent({ type: 'turn_end' }))
    } catch (error) {
      if (this.#signal.aborted) return
      this.#out.push(voiceEvent({ type: 'error', stage: 'speak', error }))
      this.#out.push(voiceEvent({ type: 'turn_end' }))
    }
  }

  async #next(): Promise<string | undefined> {
    for (;;) {
      this.#signal.throwIfAborted()
      const sentence = this.#sentences.shift()
      if (sentence !== undefined || this.#complete) return sentence
      await wakeOrAbort(this.#signal, (wake) => {
        this.#wake = wake
      })
    }
  }

  async #speak(sentence: string): Promise<void> {
    const input = speakable(sentence).trim()
    if (!/[\p{L}\p{N}]/u.test(input)) return
    const { client, voice_id, model = 'svc-tts-1.5-flash', speed, language } = this.#options
    const extra = { ...(speed === undefined ? {} : { speed }), ...(language === undefined ? {} : { language }) }
    const stream = await client.speech.stream({ model, input, voice_id, ...extra }, { signal: this.#signal })
    this.#turn.begin(input)
    this.#out.push(voiceEvent({ type: 'tts_sentence', text: input }))
    for await (const audio of stream) {
      await this.#out.room(this.#signal)
      this.#signal.throwIfAborted()
      this.#turn.made(pcmSeconds(stream.format, audio.byteLength))
      this.#out.push(voiceEvent({ type: 'tts_chunk', audio, format: stream.format }))
    }
    this.#turn.complete()
  }
}
