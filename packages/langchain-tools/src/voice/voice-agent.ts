import { checkOptions, toolClient } from '@svc-audio/agent-tools'
import { callback, flag, methods, optional, positive, text, timerSeconds, type OptionRule } from '#options'
import type { PureAudioClient } from '@svc-audio/core'
import {
  detectUtterances,
  type DetectUtterancesOptions,
  speechOption,
  type VoiceEvent,
  type VoiceServerOptions,
} from '@svc-audio/voice'
import { agentStage, type AgentStageOptions, type StreamingAgent } from './agent-stage.ts'
import { bargeInPolicy } from './barge-in.ts'
import { refuseCheckpointer } from './checkpointer.ts'
import { transcribeStage, type TranscribeStageOptions } from './transcribe-stage.ts'
import { VoiceConversation } from './conversation.ts'
import { speakStage } from './speak-stage.ts'
import { presenceStage, type PresenceOptions, type VoiceAgentCall, type VoiceIdle } from './presence-stage.ts'
import { type SpeakStageOptions, textOrFunction } from './speaker.ts'

/** Options of {@link voiceAgent}. */
export interface VoiceAgentOptions {
  /** The client, which holds key and address. The caller closes it. */
  readonly client: PureAudioClient
  /**
   * The voice that speaks. A function is asked for each turn, and may follow `call.settings()`: check that the user may
   * have the voice.
   */
  readonly voice_id: string | ((call: VoiceAgentCall) => string)
  /** `createAgent({ … })` or a compiled graph over messages, without a checkpointer. Or a function, for one a user. */
  readonly agent: StreamingAgent | ((call: VoiceAgentCall) => StreamingAgent)
  /** Passed to `agent.stream()`: `configurable`, `context` and so on. */
  readonly config?: (call: VoiceAgentCall) => Readonly<Record<string, unknown>>
  /** Whether a message of a model is spoken. @default as `isSpoken` of {@link agentStage} */
  readonly isSpoken?: NonNullable<AgentStageOptions['isSpoken']>
  /** What ends an answer that is spoken. @default one word */
  readonly bargeIn?: NonNullable<TranscribeStageOptions['bargeIn']>
  /** Whether melodies are noise, also those for which the recognizer writes words. @default true */
  readonly ignoreMelodies?: boolean
  /** Seconds of silence that end an utterance. Less answers sooner, and cuts users who think. @default 0.6 */
  readonly pauseSeconds?: number
  /** Seconds of audio that the browser has in store. @default 2 */
  readonly bufferSeconds?: number
  /** @default 'svc-transcribe-1.0' */
  readonly transcriptionModel?: NonNullable<TranscribeStageOptions['model']>
  /** @default 'svc-tts-1.5-flash' */
  readonly speechModel?: NonNullable<SpeakStageOptions['model']>
  /** Speaking rate, 0.25 to 4. @default 1 */
  readonly speed?: number
  /**
   * Language of the answers. A function is asked for each turn. A service that does not speak it speaks without a language,
   * and a warning of the process says so once.
   * @default the locale that the client names, if it names one
   */
  readonly language?: string | ((call: VoiceAgentCall) => string | undefined)
  /** What the agent says when a conversation begins. A reconnect does not repeat it. @default nothing */
  readonly greet?: string | ((call: VoiceAgentCall) => string | undefined | Promise<string | undefined>)
  /**
   * Called when nobody has spoken for `idleSeconds`, and again after each further time. What it returns is said.
   * @default nothing is said
   */
  readonly onIdle?: (idle: VoiceIdle) => string | undefined | Promise<string | undefined>
  /** Seconds of silence before `onIdle`. @default 20 */
  readonly idleSeconds?: number
  /** What is said in place of an answer that failed. @default as `failureSentence` of {@link speakStage} */
  readonly failureSentence?: NonNullable<SpeakStageOptions['failureSentence']>
  /** Seconds for which an interrupted run waits for its tools. @default as `toolSeconds` of {@link agentStage} */
  readonly toolSeconds?: number
  /** Whether recognition begins in each short pause. @default as `early` of {@link transcribeStage} */
  readonly early?: boolean
  /** Whether an answer begins before the user's pause is over. @default as `preemptive` of {@link agentStage} */
  readonly preemptive?: boolean
  /**
   * What tells speech from other sounds: a detector, or `'loudness'`.
   * @default Silero, where `@svc-audio/silero-vad` and `@svc-audio/onnx-runtime` are installed; else loudness, which is
   *   reported once
   */
  readonly speech?: NonNullable<DetectUtterancesOptions['speech']>
}

const CHECKS: Readonly<Record<keyof VoiceAgentOptions, OptionRule>> = {
  client: toolClient,
  voice_id: textOrFunction,
  agent: (value) => (typeof value === 'function' ? undefined : methods('stream')(value)),
  config: optional(callback),
  isSpoken: optional(callback),
  bargeIn: bargeInPolicy,
  ignoreMelodies: optional(flag),
  pauseSeconds: optional(positive('seconds')),
  bufferSeconds: optional(positive('seconds')),
  transcriptionModel: optional(text),
  speechModel: optional(text),
  speed: optional(positive()),
  language: optional(textOrFunction),
  greet: optional(textOrFunction),
  onIdle: optional(callback),
  idleSeconds: optional(positive('seconds')),
  failureSentence: optional(textOrFunction),
  toolSeconds: optional(timerSeconds),
  early: optional(flag),
  preemptive: optional(flag),
  speech: optional(speechOption),
}

/**
 * The whole pipeline for `VoiceServer` of `@svc-audio/voice`: finds what the user says in the microphone, transcribes
 * it, runs the agent and speaks its answers.
 *
 * @example
 * const voice = new VoiceServer(voiceAgent({ client, voice_id: 'rms', agent }))
 * @throws ConfigurationError naming the option
 */
export function voiceAgent(
  options: VoiceAgentOptions,
): Required<Pick<VoiceServerOptions<unknown, VoiceConversation>, 'converse' | 'createState'>> {
  checkOptions(options, CHECKS, 'voiceAgent()')
  refuseCheckpointer(options.agent, 'voiceAgent()')
  return {
    converse: (call) => converse(call, options),
    createState: () => new VoiceConversation(),
  }
}

function converse(call: VoiceAgentCall, options: VoiceAgentOptions): AsyncIterable<VoiceEvent> {
  const { microphone, format, playedSeconds, signal, state: conversation } = call
  const { client, voice_id, language, bufferSeconds = 2, transcriptionModel, speechModel } = options
  const { pauseSeconds, speech, bargeIn, ignoreMelodies, early, isSpoken, toolSeconds, preemptive } = options
  const { config, speed, failureSentence } = options
  const agent = typeof options.agent === 'function' ? options.agent(call) : options.agent
  const shared = { conversation, signal }
  const utterances = detectUtterances(microphone, { format, ...given({ pauseSeconds, speech }) })
  const heard = transcribeStage(utterances, {
    client,
    format,
    ...shared,
    ...given({ bargeIn, ignoreMelodies, early, model: transcriptionModel }),
  })
  const present = presenceStage(heard, { call, ...given(presenceOf(options)) })
  const run = { agent, ...shared, ...given({ isSpoken, toolSeconds, preemptive, config: config?.(call) }) }
  const spoken = { client, playedSeconds, bufferSeconds, ...shared }
  return speakStage(agentStage(present, run), {
    ...spoken,
    voice_id: typeof voice_id === 'function' ? () => voice_id(call) : voice_id,
    language: () => (typeof language === 'function' ? language(call) : (language ?? call.settings().locale)),
    ...given({ model: speechModel, speed, failureSentence }),
  })
}

function presenceOf({ greet, onIdle, idleSeconds }: VoiceAgentOptions): Omit<PresenceOptions, 'call'> {
  return { ...given({ greet, onIdle, idleSeconds }) }
}

/** Options without those that are not given. */
type Given<Options> = { readonly [Name in keyof Options]?: NonNullable<Options[Name]> }

function given<Options extends object>(options: Options): Given<Options> {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- entries without a value are left out
  return Object.fromEntries(entries) as Given<Options>
}
