import { setTimeout } from 'node:timers/promises'
import { checkOptions } from '@svc-audio/agent-tools'
import { ConfigurationError } from '@svc-audio/core'
import { isBudgetError, type VoiceEvent, voiceEvent } from '@svc-audio/voice'
import { type EventChannel, runStage } from './event-channel.ts'
import { type AnswerFailure, SPEAK_STAGE_CHECKS, Speaker, type SpeakStageOptions } from './speaker.ts'
import { SpeakingPace } from './spoken-turn.ts'

/**
 * Text to speech, sentence by sentence while the agent still answers: `tts_sentence` and `tts_chunk` events, then
 * `turn_end`: each turn has one, also without a word. Markdown is read block by block as a person reads it, and reasoning is
 * not spoken. The next sentence is requested while the current one is read, so no pause lies between them. Synthesis is
 * never further ahead of the reader. `user_input` pauses the answer: `paused`, and no audio until its verdict.
 * `user_noise` continues it: `resumed`. `stt_output` aborts both requests upstream, drops audio that was not taken, and
 * reports what was heard as `interrupted`; so does `interrupt`. `say` is spoken between the sentences of
 * an answer, or as a turn of its own, which `agent_turn` begins.
 * @throws ConfigurationError naming the option
 */
export function speakStage(
  events: AsyncIterable<VoiceEvent>,
  options: SpeakStageOptions,
): AsyncGenerator<VoiceEvent, void, undefined> {
  checkOptions(options, SPEAK_STAGE_CHECKS, 'speakStage()')
  if (options.bufferSeconds !== undefined && options.playedSeconds === undefined)
    throw new ConfigurationError('`bufferSeconds` needs `playedSeconds`: the position of the player')
  return speak(events, options)
}

async function* speak(
  events: AsyncIterable<VoiceEvent>,
  options: SpeakStageOptions,
): AsyncGenerator<VoiceEvent, void, undefined> {
  const answers = new Answers(options)
  let isComplete = false
  const stage = runStage(events, options.signal, (source, out, signal) => answers.speak(source, out, signal))
  try {
    for await (const event of stage) {
      if (event.type === 'tts_chunk') answers.speaker?.taken(event.audio.byteLength, event)
      yield event
    }
    isComplete = true
  } finally {
    // The user hung up in the middle of an answer: the history holds what was heard.
    if (!isComplete) await answers.speaker?.interrupt()
  }
}

/** Milliseconds between two looks at an answer that is still heard, before the agent says something by itself. */
const LOOK_INTERVAL = 50

/** Speaks the answers of a conversation, one after the other. */
class Answers {
  /** The answer that is spoken, or was the last. */
  speaker: Speaker | undefined
  readonly #options: SpeakStageOptions
  readonly #pace: SpeakingPace
  /** Languages that the service has refused. */
  readonly #refused = new Set<string>()
  /** `agentStage` runs ahead of this stage: the turn that is spoken may not be its latest. */
  #turn: number
  #isPaused = false
  /** Whether the agent works on an answer. */
  #isWorking = false
  /** Whether a sound of the user has no verdict yet. */
  #isListening = false
  /** Why the answer failed. */
  #failure: AnswerFailure | undefined
  /** What the agent says by itself, as soon as nobody speaks. */
  #says: string[] = []
  #saying: Promise<void> = Promise.resolve()

  constructor(options: SpeakStageOptions) {
    this.#options = options
    this.#pace = new SpeakingPace(options.speed)
    this.#turn = options.conversation?.turns ?? 0
  }

  async speak(source: AsyncIterable<VoiceEvent>, out: EventChannel, signal: AbortSignal): Promise<void> {
    const { bufferSeconds } = this.#options
    if (bufferSeconds !== undefined) out.playInto(() => (this.speaker?.aheadSeconds ?? 0) < bufferSeconds)
    for await (const event of source) {
      if (event.type === 'say') this.#say(event.text, out, signal)
      else if (event.type === 'user_noise') this.#resume(out, event)
      else if (event.type === 'interrupt') await this.#stop(out)
      else await this.#follow(event, out, signal)
    }
    await this.#saying
    this.speaker?.end()
    await this.speaker?.done
  }

  async #follow(event: VoiceEvent, out: EventChannel, signal: AbortSignal): Promise<void> {
    if (event.type === 'stt_output') {
      this.#turn += 1
      await this.#interrupt(out)
      this.#isWorking = true
    }
    out.push(event)
    if (event.type === 'user_input') this.#pause(out)
    else if (event.type === 'agent_chunk') this.#speakerOf(out, signal).add(event.text)
    else if (event.type === 'agent_message') this.speaker?.endMessage()
    else if (event.type === 'error') this.#fail(event, out, signal)
    else if (event.type === 'agent_end') this.#end(out, signal)
  }

  /** The speaker of the current answer. */
  #speakerOf(out: EventChannel, signal: AbortSignal): Speaker {
    const turn = { turn: this.#turn, pace: this.#pace, refused: this.#refused }
    this.speaker ??= new Speaker(this.#options, turn, out, signal)
    return this.speaker
  }

  /** The agent has ended its answer. */
  #end(out: EventChannel, signal: AbortSignal): void {
    this.#isWorking = false
    const isEmpty = this.speaker === undefined || this.speaker.isEmpty
    const empty: AnswerFailure = { stage: 'agent', reason: 'empty', error: undefined }
    const failure = this.#failure ?? (isEmpty ? empty : undefined)
    const sentence = failure === undefined ? undefined : this.#sentenceFor(failure, out)
    this.#failure = undefined
    if (sentence !== undefined) {
      const speaker = this.#speakerOf(out, signal)
      speaker.endMessage()
      speaker.add(sentence)
    }
    if (this.speaker === undefined) this.#endWithoutWords(out)
    else this.speaker.end()
  }

  #endWithoutWords(out: EventChannel): void {
    this.#options.conversation?.answered()
    out.push(voiceEvent({ type: 'turn_end' }))
  }

  /** A stage before this one has failed. */
  #fail({ stage, error }: Extract<VoiceEvent, { type: 'error' }>, out: EventChannel, signal: AbortSignal): void {
    const failure: AnswerFailure = { stage, reason: isBudgetError(error) ? 'budget' : 'failed', error }
    if (this.#isWorking) {
      this.#failure = failure
      return
    }
    const sentence = this.speaker?.isOver === false ? undefined : this.#sentenceFor(failure, out)
    if (sentence !== undefined) this.#say(sentence, out, signal)
  }

  #sentenceFor(failure: AnswerFailure, out: EventChannel): string | undefined {
    const { failureSentence } = this.#options
    if (typeof failureSentence !== 'function') return failureSentence
    try {
      return failureSentence(failure)
    } catch (error) {
      out.push(voiceEvent({ type: 'error', stage: 'speak', error }))
      return undefined
    }
  }

  /** The agent says something by itself: between the sentences of its answer, or when nobody speaks. */
  #say(text: string, out: EventChannel, signal: AbortSignal): void {
    if (this.#isWorking) {
      const speaker = this.#speakerOf(out, signal)
      speaker.endMessage()
      speaker.add(text)
      speaker.endMessage()
      return
    }
    this.#says.push(text)
    if (this.#says.length === 1) this.#saying = this.#sayAll(out, signal)
  }

  async #sayAll(out: EventChannel, signal: AbortSignal): Promise<void> {
    while (this.#says.length > 0 && !signal.aborted) {
      const isFree = !this.#isWorking && !this.#isListening && this.speaker?.isOver !== false
      if (!isFree) {
        await setTimeout(LOOK_INTERVAL)
        continue
      }
      const text = this.#says.shift() ?? ''
      this.#options.conversation?.say(text)
      this.#turn += 1
      out.push(voiceEvent({ type: 'agent_turn', text }))
      this.speaker = undefined
      const speaker = this.#speakerOf(out, signal)
      speaker.add(text)
      speaker.end()
    }
  }

  /** Holds the audio until it is known whether the user speaks. */
  #pause(out: EventChannel): void {
    this.#isListening = true
    out.hold()
    if (this.#isPaused || this.speaker?.isHeard !== true) return
    this.#isPaused = true
    out.push(voiceEvent({ type: 'paused' }))
  }

  /** @param reason Why the answer continues. */
  #resume(out: EventChannel, ...reason: readonly VoiceEvent[]): void {
    const resumed = this.#isPaused ? [voiceEvent({ type: 'resumed' })] : []
    this.#isPaused = false
    this.#isListening = false
    out.release(...reason, ...resumed)
  }

  /** The application ends the answer. In silence, there is no turn to end. */
  async #stop(out: EventChannel): Promise<void> {
    this.#says = []
    const isAnswering = this.#isWorking || this.speaker?.isOver === false
    if (!isAnswering) return
    this.#isWorking = false
    await this.#interrupt(out)
    this.#endWithoutWords(out)
  }

  async #interrupt(out: EventChannel): Promise<void> {
    this.#failure = undefined
    const heard = await this.speaker?.interrupt()
    this.speaker = undefined
    if (heard !== undefined) {
      out.push(voiceEvent({ type: 'interrupted', heard }))
      this.#isPaused = false
    }
    this.#resume(out)
  }
}
