import type { PureAudioClient, SpeechTask, TaskHandle } from '@svc-audio/core'
import { type AigcMetadata, type FormatOf, isKnownModel } from '@svc-audio/core/interface'
import {
  callback,
  clientWith,
  fields,
  integer,
  logger,
  milliseconds,
  oneOf,
  optional,
  perRequest,
  text,
} from '../option-rules.ts'
import {
  checkOptions,
  type OptionRule,
  type OptionRules,
  type PerRequest,
  type Excluded,
  resultCheck,
} from '../options.ts'
import type { FailureLogger } from '../failure.ts'
import { assertTaskOptions, TASK_RULES, type TaskOptions } from '../task.ts'

/** Options of every handler that makes a call while a client waits. */
export interface CallHandlerOptions {
  /** Deadline for the whole call, the audio included, in milliseconds. @default the client's */
  readonly timeout?: number
  /** How often a failed call is retried while the client waits. @default 0 */
  readonly maxRetries?: number
  /** Where failures with status 500 and above are logged, with their cause. `false` logs nothing. @default console */
  readonly logger?: FailureLogger | false
}

/** The rules of {@link CallHandlerOptions}. */
export const CALL_RULES: OptionRules = {
  timeout: optional(milliseconds),
  maxRetries: optional(integer(0, 'retries')),
  logger: optional(logger),
}

/** Fields of a speech call that may differ from request to request, by their names on the wire. */
export interface SpeakFields {
  /** The model that speaks. */
  readonly model: string
  /** The text to speak. */
  readonly input: string
  /** The voice. Required without streaming. */
  readonly voice_id: string | undefined
  /** Format of the audio, without streaming. */
  readonly response_format: string | undefined
  /** Marking of the generated audio. */
  readonly aigc_metadata: AigcMetadata | undefined
  /** Streaming speech only. */
  readonly language: string | undefined
  /** Streaming speech only: 0.25 to 4. */
  readonly speed: number | undefined
}

/** Options of every kind of speech. Those that may be functions get the framework's request. */
export interface CommonSpeechOptions<Context> extends CallHandlerOptions {
  /** An `AudioClient`, or a function of the request, e.g. for a key per tenant. Close it yourself. */
  readonly client: PerRequest<PureAudioClient, Context>
  /** @default 'svc-tts-1.5-flash' */
  readonly model?: PerRequest<string | undefined, Context>
  /** Marking of the generated audio. @default none */
  readonly aigc_metadata?: PerRequest<AigcMetadata | undefined, Context>
  /** The text to speak. @default `text` of the body, else of the query */
  readonly text?: (context: Context) => string | Promise<string>
}

/** Fields that replace the options of the same names. Validate the caller's choices: voices and models are billable. */
export type SpeakBody<Context> = (context: Context) => Partial<SpeakFields> | Promise<Partial<SpeakFields>>

/** The voice of speech without streaming, chosen by `body`. */
export interface VoiceByBody<Context> {
  /** The voice where `body` returns none. */
  readonly voice_id?: PerRequest<string | undefined, Context>
  /** See {@link SpeakBody}. */
  readonly body: SpeakBody<Context>
}

/** The voice of speech without streaming. */
export interface VoiceByOption<Context> {
  /** The voice: required, except for `pcm` and `sse`. */
  readonly voice_id: PerRequest<string, Context>
  /** See {@link SpeakBody}. */
  readonly body?: SpeakBody<Context>
}

/** Options of streamed speech. */
export interface StreamedSpeechOptions<Context>
  extends
    CommonSpeechOptions<Context>,
    Excluded<'response_format', 'format'>,
    Excluded<'webhook_url' | 'onTask', 'task'> {
  /**
   * - `pcm`: raw PCM with the lowest latency; its format is in `X-Sample-Rate`, `X-Channels` and `X-Bit-Depth`.
   * - `sse`: the service's event stream with Base64 PCM, which proves that the audio is complete.
   */
  readonly respond: 'pcm' | 'sse'
  /** @default the service's default voice */
  readonly voice_id?: PerRequest<string | undefined, Context>
  /** Language hint. @default none */
  readonly language?: PerRequest<string | undefined, Context>
  /** 0.25 to 4. @default 1 */
  readonly speed?: PerRequest<number | undefined, Context>
  /** See {@link SpeakBody}. */
  readonly body?: SpeakBody<Context>
}

/** Options of a task that makes speech. */
export interface SpeechTaskOptions<Context, Format extends string = string>
  extends
    CommonSpeechOptions<Context>,
    TaskOptions<Context, TaskHandle<SpeechTask>>,
    Excluded<'language' | 'speed', 'stream'> {
  /** `task`: 202 with a task, for long texts. The handler for results serves its audio. */
  readonly respond: 'task'
  /** Format of the audio, e.g. `mp3` or `wav`. @default the service's */
  readonly response_format?: PerRequest<FormatOf<Format> | undefined, Context>
}

/** Options of whole audio, as in a file. */
export interface WholeSpeechOptions<Context, Format extends string = string>
  extends
    CommonSpeechOptions<Context>,
    Excluded<'webhook_url' | 'onTask', 'task'>,
    Excluded<'language' | 'speed', 'stream'> {
  /** `audio`: the audio, while the service synthesizes it. */
  readonly respond?: 'audio'
  /** Format of the audio, e.g. `mp3` or `wav`. @default the service's */
  readonly response_format?: PerRequest<FormatOf<Format> | undefined, Context>
}

/**
 * Options of a handler that answers with speech, by `respond`: `audio` (the default), `pcm`, `sse` or `task`. Those that may
 * be functions get the framework's request. `Format` is the format if the code names it.
 */
export type SpeakHandlerOptions<Context, Format extends string = string> =
  | StreamedSpeechOptions<Context>
  | ((SpeechTaskOptions<Context, Format> | WholeSpeechOptions<Context, Format>) &
      (VoiceByBody<Context> | VoiceByOption<Context>))

/** Checked {@link SpeakHandlerOptions}, without the types of wrong combinations. */
export interface CheckedSpeakOptions<Context>
  extends
    CommonSpeechOptions<Context>,
    Omit<StreamedSpeechOptions<Context>, 'respond' | 'response_format' | 'webhook_url' | 'onTask'>,
    Pick<SpeechTaskOptions<Context>, 'response_format' | 'webhook_url' | 'onTask'> {
  /** Kind of the body. @default 'audio' */
  readonly respond?: 'audio' | 'pcm' | 'sse' | 'task'
}

const model: OptionRule = (value) =>
  isKnownModel(value) && !value.startsWith('svc-tts-')
    ? 'must be a speech model, such as svc-tts-1.5-flash'
    : text(value)

const speed: OptionRule = (value) =>
  typeof value === 'number' && value >= 0.25 && value <= 4 ? undefined : 'must be a number from 0.25 to 4'

const aigcMetadata: OptionRule = (value) =>
  typeof value === 'object' && value !== null ? undefined : 'must be an object'

/** The rules of {@link SpeakHandlerOptions}. */
export const SPEAK_RULES: OptionRules = {
  ...CALL_RULES,
  client: perRequest(clientWith('speech')),
  voice_id: optional(perRequest(text)),
  model: optional(perRequest(model)),
  response_format: optional(perRequest(text)),
  language: optional(perRequest(text)),
  speed: optional(perRequest(speed)),
  aigc_metadata: optional(perRequest(aigcMetadata)),
  text: optional(callback),
  body: optional(callback),
  respond: optional(oneOf(['audio', 'pcm', 'sse', 'task'])),
  ...TASK_RULES,
}

/** The rules of the fields that `body` returns. `input` may be the caller's mistake: it is checked as the text. */
const BODY_RULES: OptionRules = {
  body: optional(
    fields({
      model: optional(model),
      input: () => undefined,
      voice_id: optional(text),
      response_format: optional(text),
      aigc_metadata: optional(aigcMetadata),
      language: optional(text),
      speed: optional(speed),
    }),
  ),
}

/** Checks the fields that `body` returns. It throws ConfigurationError naming the field. */
export const checkSpeakBody: (result: unknown) => void = resultCheck('body', BODY_RULES)

/**
 * Checks options when they are given, the combinations of the interface too, and returns them.
 *
 * @param caller The function that got them, for messages.
 * @throws ConfigurationError naming the option
 */
export function checkSpeakOptions<Context, Format extends string = string>(
  given: SpeakHandlerOptions<Context, Format>,
  caller: string,
): CheckedSpeakOptions<Context> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the check refuses every value with a remedy as its type
  const options = given as unknown as CheckedSpeakOptions<Context>
  checkOptions(caller, options, SPEAK_RULES)
  assertTaskOptions(caller, options)
  const { respond = 'audio', voice_id: voice, body, response_format: format } = options
  const streams = respond === 'pcm' || respond === 'sse'
  const rule = (name: string, fault: string): void =>
    checkOptions(caller, { [name]: Reflect.get(options, name) }, { [name]: () => fault })
  if (!streams && voice === undefined && body === undefined) rule('voice_id', 'must be a voice id')
  if (streams && format !== undefined) rule('response_format', `is always pcm with respond: '${respond}': leave it out`)
  for (const name of ['language', 'speed'] as const) {
    if (!streams && options[name] !== undefined) rule(name, "needs respond: 'pcm' or 'sse'")
  }
  return options
}
