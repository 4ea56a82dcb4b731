import {
  type AigcMetadata,
  type CallOptions,
  isKnownModel,
  type PureAudioClient,
  type SpeechCreateBody,
  type SpeechStreamBody,
  type SpeechTask,
  type TaskHandle,
} from '@svc-audio/core'
import {
  checkOptions,
  definedFields,
  optionRules,
  type OptionRule,
  type OptionRules,
  type PerRequest,
  resultCheck,
  sendAudio,
  sendEvents,
  sendPcm,
  valueFor,
} from '@svc-audio/upload'
import type { Request, RequestHandler, Response } from 'express'
import { CALL_RULES, callHandler, type CallHandlerOptions } from './answer-audio.ts'
import { sendTask } from './send-task.ts'
import { assertTaskOptions, TASK_RULES } from './task-options.ts'
import { assertText, textOf } from './text-of.ts'

/** Fields of a speech call that may differ from request to request, by their names on the wire. */
export interface SpeakFields {
  readonly model: string
  readonly input: string
  readonly voice_id: string | undefined
  readonly response_format: string | undefined
  readonly aigc_metadata: AigcMetadata | undefined
  /** Streaming speech only. */
  readonly language: string | undefined
  /** Streaming speech only: 0.25 to 4. */
  readonly speed: number | undefined
}

/** Options of {@link speak}. Those that may be functions get the request. */
export interface SpeakOptions extends CallHandlerOptions {
  /** An `AudioClient`, or a function of the request, e.g. for a key per tenant. Close it yourself. */
  readonly client: PerRequest<PureAudioClient, Request>
  /** The voice. Required, except for `pcm` and `sse`. @default the service's default voice */
  readonly voice_id?: PerRequest<string | undefined, Request>
  /** @default 'svc-tts-1.5-flash' */
  readonly model?: PerRequest<string | undefined, Request>
  /** Format of the audio, e.g. `mp3` or `wav`; not for `pcm` and `sse`. @default the service's */
  readonly response_format?: PerRequest<string | undefined, Request>
  /** Language hint, for `pcm` and `sse`. @default none */
  readonly language?: PerRequest<string | undefined, Request>
  /** 0.25 to 4, for `pcm` and `sse`. @default 1 */
  readonly speed?: PerRequest<number | undefined, Request>
  /** Marking of the generated audio. @default none */
  readonly aigc_metadata?: PerRequest<AigcMetadata | undefined, Request>
  /** The text to speak. @default `text` of the body, else of the query */
  readonly text?: (request: Request) => string | Promise<string>
  /** Fields that replace the ones above. Validate the caller's choices: voices and models are billable. */
  readonly body?: (request: Request) => Partial<SpeakFields> | Promise<Partial<SpeakFields>>
  /**
   * - `audio`: the audio, while the service synthesizes it.
   * - `pcm`: raw PCM with the lowest latency; its format is in `X-Sample-Rate`, `X-Channels` and `X-Bit-Depth`.
   * - `sse`: the service's event stream with Base64 PCM, which proves that the audio is complete.
   * - `task`: 202 with a task, for long texts. {@link playResult} serves its audio.
   *
   * @default 'audio'
   */
  readonly respond?: 'audio' | 'pcm' | 'sse' | 'task'
  /** Address that the service calls when the task ends (`respond: 'task'`). @default none */
  readonly webhook_url?: PerRequest<string | undefined, Request>
  /** Gets the task before the answer is sent (`respond: 'task'`), e.g. to store its id. @default nothing */
  readonly onTask?: (task: TaskHandle<SpeechTask>, request: Request) => void | Promise<void>
}

const { callback, clientWith, oneOf, optional, perRequest, text } = optionRules

const model: OptionRule = (value) =>
  isKnownModel(value) && !value.startsWith('svc-tts-')
    ? 'must be a speech model, such as svc-tts-1.5-flash'
    : text(value)

const speed: OptionRule = (value) =>
  typeof value === 'number' && value >= 0.25 && value <= 4 ? undefined : 'must be a number from 0.25 to 4'

const aigcMetadata: OptionRule = (value) =>
  typeof value === 'object' && value !== null ? undefined : 'must be an object'

const RULES: OptionRules = {
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
    optionRules.fields({
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

/**
 * A handler that answers with spoken text, sent on while the service synthesizes it. When the client disconnects, the
 * call is aborted. A failure before the first audio goes to `next`, safe to show; a later one closes the connection, so
 * that a client never takes a part for the whole. `HEAD` makes no call. A failed call is not retried unless asked.
 *
 * @throws ConfigurationError here, naming a wrong option
 *
 * @example
 * app.post('/speak', express.json(), speak({ client, voice_id: 'rms' }))
 */
export function speak(options: SpeakOptions): RequestHandler {
  const { respond = 'audio' } = assertSpeakOptions(options)
  return callHandler(options, async (request, response, callOptions, signal) => {
    const client = await valueFor(options.client, request, check('client'))
    const fields = await fieldsFor(options, request)
    await answers[respond]({ client, fields, callOptions, signal, request, response, options })
  })
}

function assertSpeakOptions(options: SpeakOptions): SpeakOptions {
  checkOptions('speak', options, RULES)
  assertTaskOptions('speak', options)
  const { respond = 'audio', voice_id: voice, body, response_format: format } = options
  const streams = respond === 'pcm' || respond === 'sse'
  const rule = (name: string, fault: string): void =>
    checkOptions('speak', { [name]: Reflect.get(options, name) }, { [name]: () => fault })
  if (!streams && voice === undefined && body === undefined) rule('voice_id', 'must be a voice id')
  if (streams && format !== undefined) rule('response_format', `is always pcm with respond: '${respond}': leave it out`)
  for (const name of ['language', 'speed'] as const) {
    if (!streams && options[name] !== undefined) rule(name, "needs respond: 'pcm' or 'sse'")
  }
  return options
}

interface Answering {
  readonly client: PureAudioClient
  readonly fields: SpeakFields
  readonly callOptions: CallOptions
  readonly signal: AbortSignal
  readonly request: Request
  readonly response: Response
  readonly options: SpeakOptions
}

/** One answer for each value of `respond`. */
const answers: Readonly<Record<'audio' | 'pcm' | 'sse' | 'task', (given: Answering) => Promise<void>>> = {
  async audio({ client, fields, callOptions, signal, response }) {
    await sendAudio(response, await client.speech.create(storedFields(fields), callOptions), signal)
  },
  async pcm({ client, fields, callOptions, signal, response }) {
    await sendPcm(response, await client.speech.stream(streamFields(fields), callOptions), signal)
  },
  async sse({ client, fields, callOptions, signal, response }) {
    const stream = await client.speech.stream(streamFields(fields), callOptions)
    await sendEvents(response, stream.events(), { signal })
  },
  async task({ client, fields, callOptions, request, response, options }) {
    const webhookUrl = await valueFor(options.webhook_url, request, check('webhook_url'))
    const webhook = webhookUrl === undefined ? {} : { webhook_url: webhookUrl }
    const task = await client.speech.createTask({ ...storedFields(fields), ...webhook }, callOptions)
    await options.onTask?.(task, request)
    sendTask(response, task.creation)
  },
}

const check = (name: keyof SpeakOptions): ((result: unknown) => void) => resultCheck(name, RULES)

async function fieldsFor(options: SpeakOptions, request: Request): Promise<SpeakFields> {
  const { text: input = textOf, body } = options
  const chosen = await body?.(request)
  resultCheck('body', BODY_RULES)(chosen)
  const fields = {
    model: (await valueFor(options.model, request, check('model'))) ?? 'svc-tts-1.5-flash',
    voice_id: await valueFor(options.voice_id, request, check('voice_id')),
    response_format: await valueFor(options.response_format, request, check('response_format')),
    aigc_metadata: await valueFor(options.aigc_metadata, request, check('aigc_metadata')),
    language: await valueFor(options.language, request, check('language')),
    speed: await valueFor(options.speed, request, check('speed')),
    ...definedFields(chosen),
  }
  return { ...fields, input: assertText(chosen?.input ?? (await input(request))) }
}

type StoredFields = Pick<SpeechCreateBody, 'model' | 'input' | 'voice_id' | 'response_format' | 'aigc_metadata'>

/** Fields of speech without streaming. The client refuses a missing voice. */
function storedFields(fields: SpeakFields): StoredFields {
  const { model: id, input, voice_id: voice = '', response_format: format, aigc_metadata: aigc } = fields
  return { model: id, input, voice_id: voice, ...given('response_format', format), ...given('aigc_metadata', aigc) }
}

/** Fields of streaming speech. */
function streamFields(fields: SpeakFields): SpeechStreamBody {
  const { model: id, input } = fields
  return {
    model: id,
    input,
    ...given('voice_id', fields.voice_id),
    ...given('language', fields.language),
    ...given('speed', fields.speed),
    ...given('aigc_metadata', fields.aigc_metadata),
  }
}

/** A field if it has a value, else nothing. */
function given<Name extends string, Value>(name: Name, value: Value | undefined): { readonly [Key in Name]?: Value } {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- TypeScript widens a computed name to string
  return (value === undefined ? {} : { [name]: value }) as { readonly [Key in Name]?: Value }
}
