import type { PcmFormat } from '@svc-audio/core/audio'

/** Where in the pipeline an error happened. */
export type VoiceStage = 'transcribe' | 'agent' | 'speak'

/** An event without its time. */
export type VoiceEventBody =
  /** Sound of the user begins. It may be a word or a cough: the answer pauses, and the agent works on. */
  | { readonly type: 'user_input' }
  | {
      /**
       * The sound of the user was not for the agent: it had no words, or fewer than the policy asks for while an answer is
       * spoken. The answer continues.
       */
      readonly type: 'user_noise'
      /** The words, if there were any. */
      readonly transcript: string
    }
  | {
      /** The user has spoken. An answer that is still spoken ends here: barge-in. */
      readonly type: 'stt_output'
      /** Transcript of the user's speech. */
      readonly transcript: string
    }
  | {
      /**
       * What the user has said when a pause begins, before it is long enough to end the utterance. The user may continue: then
       * another one, or `stt_output`, has all words.
       */
      readonly type: 'stt_early'
      /** Transcript so far. */
      readonly transcript: string
    }
  | {
      /** The application lets the agent say something by itself: `say()` of {@link VoiceControl}. */
      readonly type: 'say'
      /** Text or Markdown. */
      readonly text: string
    }
  /** The application ends the answer that is made or spoken: `interrupt()` of {@link VoiceControl}. */
  | { readonly type: 'interrupt' }
  | {
      /** The agent says something by itself, and a turn without words of the user begins. */
      readonly type: 'agent_turn'
      /** What it says. */
      readonly text: string
    }
  | {
      /** The agent writes. */
      readonly type: 'agent_chunk'
      /** A piece of its answer. */
      readonly text: string
    }
  | {
      /** The agent calls a tool. */
      readonly type: 'tool_call'
      /** Id of the call. Its result has the same. */
      readonly id: string
      /** Name of the tool. */
      readonly name: string
      /** Arguments that the model chose. */
      readonly args: object
    }
  | {
      /** A tool has ended. */
      readonly type: 'tool_result'
      /** Id of the call. */
      readonly toolCallId: string
      /** Name of the tool. */
      readonly name: string
      /** What the model reads. */
      readonly result: string
    }
  | {
      /** A message of the agent is complete: before a tool works, and at the end. The next one is spoken apart from it. */
      readonly type: 'agent_message'
      /** The whole message. */
      readonly text: string
    }
  | {
      /** The agent's answer is complete. */
      readonly type: 'agent_end'
      /** All its messages. */
      readonly text: string
    }
  | {
      /** A sentence is about to be heard. */
      readonly type: 'tts_sentence'
      /** The sentence. */
      readonly text: string
    }
  | {
      /** Audio of the sentence. */
      readonly type: 'tts_chunk'
      /** PCM in whole frames. */
      readonly audio: Uint8Array
      /** Sample rate, channels and depth of the PCM. */
      readonly format: PcmFormat
    }
  /** The player holds its position: the user makes a sound. `resumed` or `interrupted` follows. */
  | { readonly type: 'paused' }
  /** The player continues where it paused. */
  | { readonly type: 'resumed' }
  /** The turn is over, also one without a word or with a failure: everything that the agent said has been handed out. */
  | { readonly type: 'turn_end' }
  | {
      /** The user spoke into the answer. The player drops its audio. */
      readonly type: 'interrupted'
      /** The part of the answer that was heard. */
      readonly heard: string
    }
  | {
      /** A stage failed on this turn. Its `turn_end` follows, and the pipeline continues with the next turn. */
      readonly type: 'error'
      /** The stage that failed. */
      readonly stage: VoiceStage
      /** Its error. */
      readonly error: unknown
    }

/** When an event happened. */
export interface VoiceEventTime {
  /** Unix milliseconds. */
  readonly ts: number
}

/** Events of a voice pipeline. Each stage passes on the events that it does not use. */
export type VoiceEvent = VoiceEventBody & VoiceEventTime

/** Adds the time to an event. */
export function voiceEvent<Body extends VoiceEventBody>(body: Body): Body & VoiceEventTime {
  return { ...body, ts: Date.now() }
}
