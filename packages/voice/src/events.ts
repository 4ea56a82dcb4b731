import type { PcmFormat } from '@svc-audio/core/streaming'

/** Where in the pipeline an error happened. */
export type VoiceStage = 'transcribe' | 'agent' | 'speak'

/** Events of a voice pipeline. Each stage passes on the events that it does not use. `ts` is Unix milliseconds. */
export type VoiceEvent =
  /** Sound of the user begins. It may be a word or a cough: the answer pauses, and the agent works on. */
  | { readonly type: 'user_input'; readonly ts: number }
  /**
   * The sound of the user was not for the agent: it had no words, or fewer than the policy asks for while an answer is
   * spoken. The answer continues. `transcript` has the words, if there were any.
   */
  | { readonly type: 'user_noise'; readonly ts: number; readonly transcript: string }
  /** Transcript of the user's speech. An answer that is still spoken ends here: barge-in. */
  | { readonly type: 'stt_output'; readonly ts: number; readonly transcript: string }
  /** A piece of the agent's answer. */
  | { readonly type: 'agent_chunk'; readonly ts: number; readonly text: string }
  | {
      readonly type: 'tool_call'
      readonly ts: number
      readonly id: string
      readonly name: string
      readonly args: object
    }
  | {
      readonly type: 'tool_result'
      readonly ts: number
      readonly toolCallId: string
      readonly name: string
      readonly result: string
    }
  /** A message of the agent is complete: before a tool works, and at the end. The next one is spoken apart from it. */
  | { readonly type: 'agent_message'; readonly ts: number; readonly text: string }
  /** The agent's answer is complete. `text` has all its messages. */
  | { readonly type: 'agent_end'; readonly ts: number; readonly text: string }
  /** A sentence is about to be heard. */
  | { readonly type: 'tts_sentence'; readonly ts: number; readonly text: string }
  /** PCM of the sentence, in whole frames. */
  | { readonly type: 'tts_chunk'; readonly ts: number; readonly audio: Uint8Array; readonly format: PcmFormat }
  /** The player holds its position: the user makes a sound. `resumed` or `interrupted` follows. */
  | { readonly type: 'paused'; readonly ts: number }
  /** The player continues where it paused. */
  | { readonly type: 'resumed'; readonly ts: number }
  /** Everything that the agent said has been handed out. */
  | { readonly type: 'turn_end'; readonly ts: number }
  /** The user spoke into the answer. The player drops its audio. `heard` is the part of the answer that was heard. */
  | { readonly type: 'interrupted'; readonly ts: number; readonly heard: string }
  /** A stage failed on this turn; the pipeline continues with the next one. */
  | { readonly type: 'error'; readonly ts: number; readonly stage: VoiceStage; readonly error: unknown }

/** An event without its time. */
export type VoiceEventBody = VoiceEvent extends infer Event
  ? Event extends VoiceEvent
    ? Omit<Event, 'ts'>
    : never
  : never

/** Adds the time to an event. */
export function voiceEvent<Body extends VoiceEventBody>(body: Body): Body & { readonly ts: number } {
  return { ...body, ts: Date.now() }
}
