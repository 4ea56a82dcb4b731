import {
  type AudioBody,
  type CallOptions,
  ConfigurationError,
  type PureAudioClient,
  type SpeechCreateBody,
  type SpeechStream,
  type SpeechStreamBody,
  type SpeechTask,
  type TaskHandle,
} from '@svc-audio/core'
import { definedFields, resultCheck, valueFor } from '../options.ts'
import { AudioGatewayError } from '../errors.ts'
import type { FailureLogger } from '../failure.ts'
import { startTask } from '../task.ts'
import { type CheckedSpeakOptions, checkSpeakBody, SPEAK_RULES, type SpeakFields } from './speak-options.ts'

/** The started response of a handler for speech, by the kind of its body. */
export type SpeakOutcome =
  | {
      readonly respond: 'audio'
      /** The encoded file, while the service makes it. */
      readonly audio: AudioBody
    }
  | {
      readonly respond: 'pcm' | 'sse'
      /** The samples or the events, while the service makes them. */
      readonly speech: SpeechStream
    }
  | {
      readonly respond: 'task'
      /** The accepted task. */
      readonly task: TaskHandle<SpeechTask>
    }

/** One request of a handler for speech. */
export interface SpeakRequest<Context> {
  /** Argument of options that are functions. */
  readonly context: Context
  /** Options of the call: signal, deadline and retries. */
  readonly options: CallOptions
  /** Reads the text without the option `text`. It throws AudioGatewayError `missing_text`. */
  readonly text: (context: Context) => string | Promise<string>
  /** Where a task is logged whose `onTask` has failed. `false` logs nothing, `undefined` to the console. */
  readonly logger: FailureLogger | false | undefined
}

/**
 * Starts the call of a handler for speech: the text and every option for this request, then the call itself.
 *
 * @param options As `checkSpeakOptions` returns them.
 * @throws AudioGatewayError `missing_text`
 * @throws ConfigurationError naming the option whose function returned a wrong value
 * @throws the errors of the client
 */
export async function speakCall<Context>(
  options: CheckedSpeakOptions<Context>,
  request: SpeakRequest<Context>,
): Promise<SpeakOutcome> {
  const { context, options: call } = request
  const { respond = 'audio' } = options
  const client = await valueFor(options.client, context, check('client'))
  const fields = await fieldsFor(options, request)
  if (respond === 'audio') return { respond, audio: await client.speech.create(storedFields(fields), call) }
  if (respond === 'task') return { respond, task: await startSpeech(client, fields, options, request) }
  return { respond, speech: await client.speech.stream(streamFields(fields), call) }
}

async function startSpeech<Context>(
  client: PureAudioClient,
  fields: SpeakFields,
  options: CheckedSpeakOptions<Context>,
  { context, options: call, logger }: SpeakRequest<Context>,
): Promise<TaskHandle<SpeechTask>> {
  return startTask({
    webhook: await valueFor(options.webhook_url, context, check('webhook_url')),
    create: (url) =>
      client.speech.createTask({ ...storedFields(fields), ...definedFields({ webhook_url: url }) }, call),
    idOf: ({ id }) => id,
    store: async (task) => {
      await options.onTask?.(task, context)
      return task
    },
    logger,
  })
}

const check = (name: keyof CheckedSpeakOptions<never>): ((result: unknown) => void) => resultCheck(name, SPEAK_RULES)

async function fieldsFor<Context>(
  options: CheckedSpeakOptions<Context>,
  { context, text }: SpeakRequest<Context>,
): Promise<SpeakFields> {
  const { text: input = text, body } = options
  const chosen = await body?.(context)
  checkSpeakBody(chosen)
  const fields = {
    model: (await valueFor(options.model, context, check('model'))) ?? 'svc-tts-1.5-flash',
    voice_id: await valueFor(options.voice_id, context, check('voice_id')),
    response_format: await valueFor(options.response_format, context, check('response_format')),
    aigc_metadata: await valueFor(options.aigc_metadata, context, check('aigc_metadata')),
    language: await valueFor(options.language, context, check('language')),
    speed: await valueFor(options.speed, context, check('speed')),
    ...definedFields(chosen),
  }
  return { ...fields, input: assertText(chosen?.input ?? (await input(context))) }
}

type StoredFields = Pick<SpeechCreateBody, 'model' | 'input' | 'voice_id' | 'response_format' | 'aigc_metadata'>

/** Fields of speech without streaming. The client refuses a missing voice. */
function storedFields({ model, input, voice_id = '', response_format, aigc_metadata }: SpeakFields): StoredFields {
  return { model, input, voice_id, ...definedFields({ response_format, aigc_metadata }) }
}

/** Fields of streaming speech. */
function streamFields({ model, input, voice_id, language, speed, aigc_metadata }: SpeakFields): SpeechStreamBody {
  return { model, input, ...definedFields({ voice_id, language, speed, aigc_metadata }) }
}

/** The parts of a request that may hold the text to speak. */
export interface TextSources {
  /** The parsed body. */
  readonly body: unknown
  /** `text` of the query. */
  readonly query: unknown
}

/**
 * The text that a request sends: `text` of its JSON body, else of its query.
 * @param hint For the developer of the app, e.g. about a missing body parser. It goes to the log, not to the caller.
 * @throws AudioGatewayError 400 `missing_text`, which says how to send it
 */
export function requestText({ body, query }: TextSources, hint?: string): string {
  const fromBody: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'text') : undefined
  const text = fromBody ?? query
  if (isText(text)) return text
  throw missingText('Send `text`, a non-empty string, in a JSON body or in the query', hint)
}

/**
 * Checks the text that a function of the app read from the request.
 * @throws AudioGatewayError 400 `missing_text`
 */
function assertText(text: unknown): string {
  if (isText(text)) return text
  throw missingText('Send the text to speak, a non-empty string')
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

function missingText(message: string, hint?: string): AudioGatewayError {
  const cause = hint === undefined ? undefined : new ConfigurationError(hint)
  return new AudioGatewayError({ status: 400, code: 'missing_text', message }, cause)
}
