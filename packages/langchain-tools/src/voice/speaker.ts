import { toolClient } from '@svc-audio/agent-tools'
import { ApiError, type PureAudioClient, type SpeechStream } from '@svc-audio/core'
import { pcmSeconds } from '@svc-audio/core/audio'
import type { Open, StreamingSpeechModel } from '@svc-audio/core/interface'
import { abortSignal, callback, methods, optional, type OptionRule, positive, text as someText } from '#options'
import { createAnswerReader, type TextSplitter } from '@svc-audio/text'
import { voiceEvent, type VoiceEvent, type VoiceStage } from '@svc-audio/voice'
import type { VoiceConversation } from './conversation.ts'
import { type EventChannel, wakeOrAbort } from './event-channel.ts'
import { type SpeakingPace, SpokenTurn } from './spoken-turn.ts'

/** Why there is no answer. */
export interface AnswerFailure {
  /** The stage that failed. */
  readonly stage: VoiceStage
  /** `empty`: the agent has answered nothing. `budget`: an account, a quota or a budget is spent. */
  readonly reason: 'failed' | 'budget' | 'empty'
  /** The error of the stage. `undefined` for an empty answer. */
  readonly error: unknown
}

/** Options of `speakStage`. */
export interface SpeakStageOptions {
  /** The client, which holds key and address. The caller closes it. */
  readonly client: PureAudioClient
  /** The voice that speaks. A function is asked for each turn. */
  readonly voice_id: string | (() => string)
  /** @default 'svc-tts-1.5-flash' */
  readonly model?: Open<StreamingSpeechModel>
  /** Speaking rate, 0.25 to 4. @default 1 */
  readonly speed?: number
  /**
   * Language of the text, for its sentences and the service's hint. A function is asked for each turn. Where the service does
   * not speak the language, it speaks without the hint, and a warning of the process says so once.
   * @default 'en' for sentences, no hint
   */
  readonly language?: string | (() => string | undefined)
  /**
   * Seconds of this answer that the user has heard, from the player. It is asked at a barge-in.
   * @default all audio that was taken from this stage counts as heard
   */
  readonly playedSeconds?: () => number
  /**
   * Most seconds of audio that are handed out ahead of `playedSeconds`. Other events do not wait: so a player that lies
   * behind a network can take everything at once. @default no limit
   */
  readonly bufferSeconds?: number
  /**
   * What is said in place of an answer that failed. A function may choose by the failure, and by the user's language.
   * @default nothing: the `error` event tells it
   */
  readonly failureSentence?: string | ((failure: AnswerFailure) => string | undefined)
  /** The conversation of `agentStage`. An interrupted answer is cut to the heard text. */
  readonly conversation?: VoiceConversation
  /** Ends the pipeline. */
  readonly signal?: AbortSignal
}

/** A text, or a function that returns one. */
export function textOrFunction(value: unknown): string | undefined {
  return typeof value === 'function' || someText(value) === undefined
    ? undefined
    : 'must be a non-empty string, or a function that returns one'
}

/** Checks of {@link SpeakStageOptions}. */
export const SPEAK_STAGE_CHECKS: Readonly<Record<keyof SpeakStageOptions, OptionRule>> = {
  client: toolClient,
  voice_id: textOrFunction,
  model: optional(someText),
  speed: optional(positive()),
  language: optional(textOrFunction),
  playedSeconds: optional(callback),
  bufferSeconds: optional(positive('seconds')),
  failureSentence: optional(textOrFunction),
  conversation: optional(methods('heard', 'answered')),
  signal: optional(abortSignal),
}

/** Seconds by which a player may round its position. */
const ROUNDING = 0.02

/** A sentence whose speech is requested. */
interface RequestedSentence {
  readonly input: string
  readonly stream: Promise<SpeechStream>
}

/** Synthesizes one answer. */
export class Speaker {
  /** Resolves when all is spoken, or the answer was interrupted. */
  readonly done: Promise<void>
  readonly #options: SpeakStageOptions
  readonly #out: EventChannel
  readonly #controller = new AbortController()
  readonly #signal: AbortSignal
  readonly #turn: SpokenTurn
  readonly #refused: Set<string>
  readonly #sentences: string[] = []
  /** Turn of the conversation that this answer belongs to. */
  readonly #number: number
  /** The sentence after the one that is read. */
  #ahead: RequestedSentence | undefined
  /** Whether the current sentence is being read: before, the next one would delay it. */
  #reading = false
  #complete = false
  /** Voice and language of this turn, or why there are none. */
  readonly #voice: Voice | { readonly failure: unknown }
  #reader: TextSplitter
  #isEmpty = true
  #finished = false
  #hasFailed = false
  #wake: (() => void) | undefined

  constructor(
    options: SpeakStageOptions,
    { turn, pace, refused }: SpeakingTurn,
    out: EventChannel,
    signal: AbortSignal,
  ) {
    this.#number = turn
    this.#turn = new SpokenTurn(pace)
    this.#refused = refused
    this.#options = options
    this.#out = out
    this.#signal = AbortSignal.any([signal, this.#controller.signal])
    this.#voice = voiceOf(options)
    this.#reader = this.#newReader()
    this.done = this.#run()
  }

  /** A piece of the answer. */
  add(text: string): void {
    this.#queue(this.#reader.push(text))
  }

  /** A message is complete: what waits for the end of its sentence is spoken now. */
  endMessage(): void {
    this.#queue(this.#reader.end())
    this.#reader = this.#newReader()
  }

  /** The answer is complete. */
  end(): void {
    if (this.#complete) return
    this.#queue(this.#reader.end())
    this.#complete = true
    this.#wake?.()
  }

  /** The reader has taken audio. */
  taken(bytes: number, { format }: Extract<VoiceEvent, { type: 'tts_chunk' }>): void {
    this.#turn.takenSeconds += pcmSeconds(format, bytes)
  }

  /** Seconds of audio that the player has, and has not played. */
  get aheadSeconds(): number {
    return this.#turn.takenSeconds - this.#played()
  }

  /** Whether the user has heard the beginning, and not the end. */
  get isHeard(): boolean {
    return this.#turn.takenSeconds > 0 && !this.isOver
  }

  /** Whether nothing of the text so far can be spoken. */
  get isEmpty(): boolean {
    return this.#isEmpty
  }

  /** Whether nothing more comes, and the player has played what came. */
  get isOver(): boolean {
    return (this.#finished || this.#hasFailed) && this.#played() + ROUNDING >= this.#turn.madeSeconds
  }

  /** Stops speaking. @returns What was heard; `undefined` when the answer was over and all of it heard. */
  async interrupt(): Promise<string | undefined> {
    const { conversation } = this.#options
    const isWhole = this.#finished && this.isOver
    const heard = this.#turn.heard(this.#played())
    this.#controller.abort()
    this.#out.dropAudio()
    await this.done
    if (isWhole) return undefined
    conversation?.heard(heard, this.#number)
    return heard
  }

  #played(): number {
    const { takenSeconds } = this.#turn
    return Math.min(this.#options.playedSeconds?.() ?? takenSeconds, takenSeconds)
  }

  #newReader(): TextSplitter {
    const language = 'failure' in this.#voice ? undefined : this.#voice.language
    return createAnswerReader(language === undefined ? {} : { language })
  }

  #queue(sentences: readonly string[]): void {
    for (const sentence of sentences) {
      if (!/[\p{L}\p{N}]/u.test(sentence)) continue
      this.#sentences.push(sentence)
      this.#isEmpty = false
    }
    if (this.#reading) this.#requestNext()
    this.#wake?.()
  }

  async #run(): Promise<void> {
    try {
      if ('failure' in this.#voice) throw this.#voice.failure
      for (let next = await this.#next(); next !== undefined; next = await this.#next()) await this.#speak(next)
      await this.#out.room(this.#signal)
      this.#signal.throwIfAborted()
      this.#finished = true
      this.#options.conversation?.answered(() => !this.isOver)
      this.#out.push(voiceEvent({ type: 'turn_end' }))
    } catch (error) {
      if (this.#signal.aborted) return
      this.#hasFailed = true
      this.#options.conversation?.answered()
      this.#out.push(voiceEvent({ type: 'error', stage: 'speak', error }))
      this.#out.push(voiceEvent({ type: 'turn_end' }))
    } finally {
      // After a failed sentence, the next one is still requested.
      this.#controller.abort()
    }
  }

  /** Requests the next sentence, one at most. */
  #requestNext(): void {
    if (this.#ahead !== undefined || this.#signal.aborted || 'failure' in this.#voice) return
    const input = this.#sentences.shift()
    if (input === undefined) return
    const stream = this.#request(input, this.#voice)
    this.#ahead = { input, stream }
    // Its turn to fail comes after the current sentence.
    stream.catch(() => {})
  }

  /** A language is a hint: a service that does not speak it still speaks. */
  async #request(input: string, { voice_id, language }: Voice): Promise<SpeechStream> {
    const { client, model = 'svc-tts-1.5-flash', speed } = this.#options
    const body = { model, input, voice_id, ...(speed === undefined ? {} : { speed }) }
    if (language === undefined || this.#refused.has(language))
      return client.speech.stream(body, { signal: this.#signal })
    try {
      return await client.speech.stream({ ...body, language }, { signal: this.#signal })
    } catch (error) {
      if (!isUnknownLanguage(error)) throw error
      this.#refused.add(language)
      warnOf(language, error)
      return client.speech.stream(body, { signal: this.#signal })
    }
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

/** Whether the service refuses the language, and nothing else. */
function isUnknownLanguage(error: unknown): error is ApiError {
  return ApiError.isInstance(error) && error.status === 400 && error.param === 'language'
}

/** Languages of which a warning has told. */
const warned = new Set<string>()

function warnOf(language: string, { serviceMessage = '' }: ApiError): void {
  if (warned.has(language)) return
  warned.add(language)
  globalThis.process?.emitWarning(
    `The service does not speak \`${language}\`, so answers are spoken without a language. Name one that it has as \`language\`, or add a voice for it. ${serviceMessage}`.trim(),
    { code: 'SVC_AUDIO_VOICE_LANGUAGE' },
  )
}

/** What the answers of a conversation share, and the number of this one. */
export interface SpeakingTurn {
  /** Turn of the conversation. */
  readonly turn: number
  /** How fast the voice speaks. */
  readonly pace: SpeakingPace
  /** Languages that the service has refused: they are not sent again. */
  readonly refused: Set<string>
}

/** Voice and language of a turn. */
interface Voice {
  readonly voice_id: string
  readonly language: string | undefined
}

/** Asks the application. */
function voiceOf({ voice_id, language }: SpeakStageOptions): Voice | { readonly failure: unknown } {
  try {
    return {
      voice_id: typeof voice_id === 'function' ? voice_id() : voice_id,
      language: typeof language === 'function' ? language() : language,
    }
  } catch (error) {
    return { failure: error }
  }
}
