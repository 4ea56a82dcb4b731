import type { SpeechStream } from '@svc-audio/core'
import { pcmSeconds } from '@svc-audio/core/audio'
import { createTextSplitter, speakable, type TextSplitter } from '@svc-audio/text'
import { type VoiceEvent, voiceEvent } from '@svc-audio/voice'
import type { EventChannel } from './event-channel.ts'
import type { SpeakStageOptions } from './speak-stage-options.ts'
import { type SpeakingPace, SpokenTurn } from './spoken-turn.ts'
import { wakeOrAbort } from './wake-or-abort.ts'

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

  /** A piece of the answer. */
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

  /** Seconds of audio that the player has, and has not played. */
  get aheadSeconds(): number {
    return this.#turn.takenSeconds - this.#played()
  }

  /** Whether the user has heard the beginning, and not the end. */
  get isHeard(): boolean {
    return this.#turn.takenSeconds > 0 && !this.#isOver()
  }

  /** Stops speaking. @returns What was heard; `undefined` when the answer was over and all of it heard. */
  async interrupt(): Promise<string | undefined> {
    const { conversation } = this.#options
    const isOver = this.#isOver()
    const heard = this.#turn.heard(this.#played())
    this.#controller.abort()
    this.#out.dropAudio()
    await this.done
    if (isOver) return undefined
    conversation?.heard(heard, this.#number)
    return heard
  }

  #played(): number {
    const { takenSeconds } = this.#turn
    return Math.min(this.#options.playedSeconds?.() ?? takenSeconds, takenSeconds)
  }

  #isOver(): boolean {
    return this.#finished && this.#played() + ROUNDING >= this.#turn.madeSeconds
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
      this.#options.conversation?.answered(() => !this.#isOver())
      this.#out.push(voiceEvent({ type: 'turn_end' }))
    } catch (error) {
      if (this.#signal.aborted) return
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
