import { checkOptions, toolClient } from '@svc-audio/agent-tools'
import { callback, flag, methods, optional, positive, text, type OptionRule } from '#options'
import type { PureAudioClient } from '@svc-audio/core'
import { detectUtterances, type VoiceCall, type VoiceEvent, type VoiceServerOptions } from '@svc-audio/voice'
import { agentStage, type AgentStageOptions, type StreamingAgent } from './agent-stage.ts'
import { refuseCheckpointer } from './checkpointer.ts'
import { bargeInPolicy, transcribeStage, type TranscribeStageOptions } from './transcribe-stage.ts'
import { VoiceConversation } from './conversation.ts'
import { speakStage } from './speak-stage.ts'
import type { SpeakStageOptions } from './speaker.ts'

/** A conversation of {@link voiceAgent}. */
export type VoiceAgentCall = VoiceCall<unknown, VoiceConversation>

/** Options of {@link voiceAgent}. */
export interface VoiceAgentOptions {
  /** The client, which holds key and address. The caller closes it. */
  readonly client: PureAudioClient
  /** The voice that speaks. */
  readonly voice_id: string
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
  /** Language of the answers. */
  readonly language?: string
}

const CHECKS: Readonly<Record<keyof VoiceAgentOptions, OptionRule>> = {
  client: toolClient,
  voice_id: text,
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
  language: optional(text),
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
  const { client, voice_id, bufferSeconds = 2, transcriptionModel, speechModel } = options
  const { pauseSeconds, bargeIn, ignoreMelodies, isSpoken, config, speed, language } = options
  const agent = typeof options.agent === 'function' ? options.agent(call) : options.agent
  const shared = { conversation, signal }
  const utterances = detectUtterances(microphone, { format, ...given({ pauseSeconds }) })
  const heard = transcribeStage(utterances, {
    client,
    format,
    ...shared,
    ...given({ bargeIn, ignoreMelodies, model: transcriptionModel }),
  })
  const answered = agentStage(heard, { agent, ...shared, ...given({ isSpoken, config: config?.(call) }) })
  const spoken = { client, voice_id, playedSeconds, bufferSeconds, ...shared }
  return speakStage(answered, { ...spoken, ...given({ model: speechModel, speed, language }) })
}

/** Options without those that are not given. */
type Given<Options> = { readonly [Name in keyof Options]?: NonNullable<Options[Name]> }

function given<Options extends object>(options: Options): Given<Options> {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- entries without a value are left out
  return Object.fromEntries(entries) as Given<Options>
}
