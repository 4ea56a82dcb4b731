import { checkOptions } from '@svc-audio/agent-tools'
import { ConfigurationError } from '@svc-audio/core'
import { type VoiceEvent, voiceEvent } from '@svc-audio/voice'
import { type EventChannel, runStage } from './event-channel.ts'
import { SPEAK_STAGE_CHECKS, Speaker, SpeakingPace, type SpeakStageOptions } from './speaker.ts'

/**
 * Text to speech, sentence by sentence while the agent still answers: `tts_sentence` and `tts_chunk` events, then
 * `turn_end`. The next sentence is requested while the current one is read, so no pause lies between them. Synthesis is
 * never further ahead of the reader. `user_input` pauses the answer: `paused`, and no audio until its verdict.
 * `user_noise` continues it: `resumed`. `stt_output` aborts both requests upstream, drops audio that was not taken, and
 * reports what was heard as `interrupted`.
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

/** Speaks the answers of a conversation, one after the other. */
class Answers {
  /** The answer that is spoken, or was the last. */
  speaker: Speaker | undefined
  readonly #options: SpeakStageOptions
  readonly #pace: SpeakingPace
  /** `agentStage` runs ahead of this stage: the turn that is spoken may not be its latest. */
  #turn: number
  #isPaused = false

  constructor(options: SpeakStageOptions) {
    this.#options = options
    this.#pace = new SpeakingPace(options.speed)
    this.#turn = options.conversation?.turns ?? 0
  }

  async speak(source: AsyncIterable<VoiceEvent>, out: EventChannel, signal: AbortSignal): Promise<void> {
    const { bufferSeconds } = this.#options
    if (bufferSeconds !== undefined) out.playInto(() => (this.speaker?.aheadSeconds ?? 0) < bufferSeconds)
    for await (const event of source) {
      if (event.type === 'user_noise') {
        this.#resume(out, event)
        continue
      }
      if (event.type === 'stt_output') await this.#interrupt(out)
      out.push(event)
      if (event.type === 'user_input') this.#pause(out)
      else if (event.type === 'agent_chunk') {
        const context = { turn: this.#turn, pace: this.#pace }
        this.speaker ??= new Speaker(this.#options, context, out, signal)
        this.speaker.add(event.text)
      } else if (event.type === 'agent_message') {
        this.speaker?.endMessage()
      } else if (event.type === 'agent_end') {
        if (this.speaker === undefined) this.#options.conversation?.answered()
        this.speaker?.end()
      }
    }
    this.speaker?.end()
    await this.speaker?.done
  }

  /** Holds the audio until it is known whether the user speaks. */
  #pause(out: EventChannel): void {
    out.hold()
    if (this.#isPaused || this.speaker?.isHeard !== true) return
    this.#isPaused = true
    out.push(voiceEvent({ type: 'paused' }))
  }

  /** @param reason Why the answer continues. */
  #resume(out: EventChannel, ...reason: readonly VoiceEvent[]): void {
    const resumed = this.#isPaused ? [voiceEvent({ type: 'resumed' })] : []
    this.#isPaused = false
    out.release(...reason, ...resumed)
  }

  async #interrupt(out: EventChannel): Promise<void> {
    this.#turn += 1
    const heard = await this.speaker?.interrupt()
    this.speaker = undefined
    if (heard !== undefined) {
      out.push(voiceEvent({ type: 'interrupted', heard }))
      this.#isPaused = false
    }
    this.#resume(out)
  }
}
