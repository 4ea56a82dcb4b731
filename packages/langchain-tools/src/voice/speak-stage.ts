import {
  checkClient,
  checkFunction,
  checkMethods,
  checkOptions,
  checkPositive,
  checkSignal,
  checkText,
  type OptionCheck,
} from '@svc-audio/agent-tools'
import type { Open, StreamingSpeechModel } from '@svc-audio/core/interface'
import { pcmSeconds } from '@svc-audio/core/streaming'
import type { PureAudioClient, SpeechStream } from '@svc-audio/core'
import { createTextSplitter, speakable, type TextSplitter } from '@svc-audio/text'
import type { VoiceConversation } from './conversation.ts'
import type { EventChannel } from './event-channel.ts'
import { type VoiceEvent, voiceEvent } from './events.ts'
import { runStage } from './run-stage.ts'
import { SpeakingPace, SpokenTurn } from './spoken-turn.ts'
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
  /** The conversation of `agentStage`. An interrupted answer is cut to the heard text. */
  readonly conversation?: VoiceConversation
  /** Ends the pipeline. */
  readonly signal?: AbortSignal
}

const OPTIONS: Readonly<Record<keyof SpeakStageOptions, OptionCheck>> = {
  client: checkClient,
  voice_id: checkText,
  model: checkText,
  speed: checkPositive,
  language: checkText,
  playedSeconds: checkFunction,
  conversation: (value, option) => checkMethods(value, option, ['heard']),
  signal: checkSignal,
}

/**
 * Text to speech, sentence by sentence while the agent still answers: `tts_sentence` and `tts_chunk` events, then
 * `turn_end`. The next sentence is requested while the current one is read, so no pause lies between them. Synthesis is
 * never further ahead of the reader. `user_input` aborts both requests upstream, drops audio that was not taken, and
 * reports what was heard as `interrupted`.
 * @throws ConfigurationError naming the option
 */
export function speakStage(
  events: AsyncIterable<VoiceEvent>,
  options: SpeakStageOptions,
): AsyncGenerator<VoiceEvent, void, undefined> {
  checkOptions(options, OPTIONS, ['client', 'voice_id'])
  return speak(events, options)
}

async function* speak(
  events: AsyncIterable<VoiceEvent>,
  options: SpeakStageOptions,
): AsyncGenerator<VoiceEvent, void, undefined> {
  let speaker: Speaker | undefined
  // `agentStage` runs ahead of this stage: the turn that is spoken may not be its latest.
  let turn = options.conversation?.turns ?? 0
  const pace = new SpeakingPace(options.speed)
  const stage = runStage(events, options.signal, async (source, out, signal) => {
    for await (const event of source) {
      if (event.type === 'user_input') {
        const heard = await speaker?.interrupt()
        speaker = undefined
        if (heard !== undefined) out.push(voiceEvent({ type: 'interrupted', heard }))
      }
      out.push(event)
      if (event.type === 'stt_output') turn += 1
      if (event.type === 'agent_chunk') {
        speaker ??= new Speaker(options, { turn, pace }, out, signal)
        speaker.add(event.text)
      } else if (event.type === 'agent_message') {
        speaker?.endMessage()
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

/** A sentence whose speech is requested. */
interface RequestedSentence {
  readonly input: string
  readonly stream: Promise<SpeechStream>
}

/** Synthesizes one answer. */
class Speaker {
  readonly done: Promise<void>
  readonly #options: SpeakStageOptions
  readonly #out: EventChannel
  readonly #controller = new AbortController()
  readonly #signal: AbortSignal
  readonly #turn: SpokenTurn
  readonly #sentences: string[] = []
  /** Turn of the conversation that this answer belongs to. */
  readonly #number: number
  /** The sentence after the one that is read. */
  #ahead: RequestedSentence | undefined
  /** Whether the current sentence is being read: before, the next one would delay it. */
  #reading = false
  #complete = false
  #splitter: TextSplitter
  #finished = false
  #wake: (() => void) | undefined

  constructor(
    options: SpeakStageOptions,
    { turn, pace }: { readonly turn: number; readonly pace: SpeakingPace },
    out: EventChannel,
    signal: AbortSignal,
  ) {
    this.#number = turn
    this.#turn = new SpokenTurn(pace)
    this.#options = options
    this.#out = out
    this.#signal = AbortSignal.any([signal, this.#controller.signal])
    this.#splitter = newSplitter(options)
    this.done = this.#run()
  }

  add(text: string): void {
    this.#queue(this.#splitter.push(text))
  }

  /** A message is complete: what waits for the end of its sentence is spoken now. */
  endMessage(): void {
    this.#queue(this.#splitter.end())
    this.#splitter = newSplitter(this.#options)
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
    conversation?.heard(heard, this.#number)
    return heard
  }

  #queue(sentences: readonly string[]): void {
    for (const sentence of sentences) {
      const input = speakable(sentence).trim()
      if (/[\p{L}\p{N}]/u.test(input)) this.#sentences.push(input)
    }
    if (this.#reading) this.#requestNext()
    this.#wake?.()
  }

  async #run(): Promise<void> {
    try {
      for (let next = await this.#next(); next !== undefined; next = await this.#next()) await this.#speak(next)
      await this.#out.room(this.#signal)
      this.#signal.throwIfAborted()
      this.#finished = true
      this.#out.push(voiceEvent({ type: 'turn_end' }))
    } catch (error) {
      if (this.#signal.aborted) return
      this.#out.push(voiceEvent({ type: 'error', stage: 'speak', error }))
      this.#out.push(voiceEvent({ type: 'turn_end' }))
    } finally {
      // After a failed sentence, the next one is still requested.
      this.#controller.abort()
    }
  }

  /** Requests the next sentence, one at most. */
  #requestNext(): void {
    if (this.#ahead !== undefined || this.#signal.aborted) return
    const input = this.#sentences.shift()
    if (input === undefined) return
    const { client, voice_id, model = 'svc-tts-1.5-flash', speed, language } = this.#options
    const extra = { ...(speed === undefined ? {} : { speed }), ...(language === undefined ? {} : { language }) }
    const stream = client.speech.stream({ model, input, voice_id, ...extra }, { signal: this.#signal })
    this.#ahead = { input, stream }
    // Its turn to fail comes after the current sentence.
    stream.catch(() => {})
  }

  async #next(): Promise<RequestedSentence | undefined> {
    for (;;) {
      this.#signal.throwIfAborted()
      this.#requestNext()
      const next = this.#ahead
      this.#ahead = undefined
      if (next !== undefined || this.#complete) return next
      await wakeOrAbort(this.#signal, (wake) => {
        this.#wake = wake
      })
    }
  }

  async #speak({ input, stream: requested }: RequestedSentence): Promise<void> {
    const stream = await requested
    this.#turn.begin(input)
    this.#out.push(voiceEvent({ type: 'tts_sentence', text: input }))
    this.#reading = true
    this.#requestNext()
    for await (const audio of stream) {
      await this.#out.room(this.#signal)
      this.#signal.throwIfAborted()
      this.#turn.made(pcmSeconds(stream.format, audio.byteLength))
      this.#out.push(voiceEvent({ type: 'tts_chunk', audio, format: stream.format }))
    }
    this.#reading = false
    this.#turn.complete()
  }
}

function newSplitter({ language }: SpeakStageOptions): TextSplitter {
  return createTextSplitter(language === undefined ? {} : { language })
}
