import type {
  DiarizedTranscription,
  PureAudioClient,
  TaskHandle,
  Transcription,
  TranscriptionCreateBody,
  TranscriptionStream,
  TranscriptionTask,
} from '@svc-audio/core'
import { isKnownModel } from '@svc-audio/core/interface'
import { callback, fields, flag, optional, perRequest, text, texts } from './option-rules.ts'
import {
  checkOptions,
  definedFields,
  type OptionRule,
  type OptionRules,
  type PerRequest,
  type Excluded,
  type Remedies,
  resultCheck,
  valueFor,
} from './options.ts'
import type { UploadRequest } from './connection.ts'
import type { TaskOptions } from './task.ts'
import type { UploadValues } from './fields.ts'
import {
  STREAM_UPLOAD_RULES,
  streamUpload,
  type StreamUploadContext,
  type StreamUploadOptions,
  type StreamUploadOutcome,
} from './stream-upload.ts'
import type { ReceivedUpload, StreamedUpload } from './upload.ts'

/** The outcome of {@link transcribeRequest}. */
export interface TranscribedUpload<Values = UploadValues> {
  /** Has `segments` if diarized. */
  readonly transcription: Transcription | DiarizedTranscription
  /** Name, type, size and fields of the upload. */
  readonly upload: ReceivedUpload<Values>
}

/** The outcome of {@link transcribeRequestAsTask}. */
export interface TranscriptionTaskUpload<Values = UploadValues> {
  /** The started task. */
  readonly task: TaskHandle<TranscriptionTask>
  /** Name, type, size and fields of the upload. */
  readonly upload: ReceivedUpload<Values>
}

/**
 * Transcribes the one file of a multipart form. The file streams to the service, which starts before the upload has
 * ended: nothing of it is stored in memory or on disk.
 *
 * @throws what `streamUpload` throws
 */
export async function transcribeRequest<Context, Values = UploadValues>(
  request: UploadRequest,
  options: TranscribeOptions<Context, Values>,
  context: TranscribeContext<Context>,
): Promise<TranscribedUpload<Values>> {
  const { result, upload } = await transcribe(request, options, context, 'json', (sent, { file, options: call }) =>
    context.client.transcriptions.create({ ...sent, response_format: 'json', file }, call),
  )
  return { transcription: result, upload }
}

/**
 * Uploads the one file of a multipart form into a new task, for long recordings. The task outlives the request.
 *
 * @param webhookUrl Called by the service when the task is over.
 * @throws what `streamUpload` throws
 */
export async function transcribeRequestAsTask<Context, Values = UploadValues>(
  request: UploadRequest,
  options: TranscribeOptions<Context, Values>,
  context: TranscribeContext<Context>,
  webhookUrl?: string,
): Promise<TranscriptionTaskUpload<Values>> {
  const webhook = webhookUrl === undefined ? {} : { webhook_url: webhookUrl }
  const { result, upload } = await transcribe(request, options, context, 'task', (sent, { file, options: call }) =>
    context.client.transcriptions.createTask({ ...sent, ...webhook, file }, call),
  )
  return { task: result, upload }
}

/**
 * Transcribes the one file of a multipart form, and hands over the service's events while they arrive.
 *
 * @param consume Reads the stream to its end.
 * @throws what `streamUpload` and `consume` throw
 */
export async function transcribeRequestAsEvents<Context, Result, Values = UploadValues>(
  request: UploadRequest,
  options: TranscribeOptions<Context, Values>,
  context: TranscribeContext<Context>,
  consume: (events: TranscriptionStream) => Promise<Result>,
): Promise<StreamUploadOutcome<Result, Values>> {
  return transcribe(request, options, context, 'sse', async (sent, { file, options: call }) =>
    consume(await context.client.transcriptions.stream({ ...sent, file }, call)),
  )
}

async function transcribe<Context, Result, Values>(
  request: UploadRequest,
  options: TranscribeOptions<Context, Values>,
  { context, signal }: TranscribeContext<Context>,
  outcome: TranscribeOutcome,
  call: (sent: TranscriptionFields, upload: StreamedUpload<Values>) => Promise<Result>,
): Promise<StreamUploadOutcome<Result, Values>> {
  const { model: _, diarize: _diarize, keyterms: _keyterms, body, ...rest } = options
  // First: a tenant without a plan must not upload half a gigabyte before the refusal.
  const fixed = await fieldsFor(options, context, outcome)
  return streamUpload(request, rest, { signal, context }, async (upload) => {
    const chosen = await body?.(context, upload)
    checkBody(chosen)
    return call({ ...fixed, ...definedFields(chosen) }, upload)
  })
}

/** Transcription fields that an application sets, by their names on the wire. */
export type TranscriptionFields = Pick<TranscriptionCreateBody, 'model' | 'diarize' | 'keyterms'>

/**
 * Options of `transcribeRequest` and its siblings. Those of the upload are {@link StreamUploadOptions}. `Model` is the model
 * if the code names it.
 */
export interface TranscribeOptions<
  Context = unknown,
  Values = UploadValues,
  Model extends string = string,
> extends StreamUploadOptions<Context, Values> {
  /** @default 'svc-transcribe-diarize-pro' for events, `diarize` and `keyterms`, which need it; else 'svc-transcribe-1.0' */
  readonly model?: PerRequest<Model | undefined, Context>
  /** Whether speakers are separated, by the multi-speaker model only. @default the service's */
  readonly diarize?: [Model] extends [StandardModel]
    ? false | Remedies['model']
    : PerRequest<boolean | undefined, Context>
  /** Terms that improve recognition, for the multi-speaker model only. @default none */
  readonly keyterms?: [Model] extends [StandardModel]
    ? Remedies['model']
    : PerRequest<readonly string[] | undefined, Context>
  /**
   * Fields that depend on the upload. They replace the ones above. Only form fields before the file are available.
   * Validate the caller's choices: models are billable.
   */
  readonly body?: (
    context: Context,
    upload: StreamedUpload<Values>,
  ) => Partial<TranscriptionFields> | Promise<Partial<TranscriptionFields>> | undefined
}

/** Context of one request. */
export interface TranscribeContext<Context = unknown> extends StreamUploadContext<Context> {
  /** The client of this request. */
  readonly client: PureAudioClient
}

/** Kind of answer: text, events, or a task. */
export type TranscribeOutcome = 'json' | 'sse' | 'task'

const STANDARD_MODEL = 'svc-transcribe-1.0'
const DIARIZING_MODEL = 'svc-transcribe-diarize-pro'

const model: OptionRule = (value) => {
  if (isKnownModel(value) && !value.startsWith('svc-transcribe-')) {
    return `must be a transcription model, such as ${STANDARD_MODEL}`
  }
  return text(value)
}

/** Requirement of options that the standard model does not support. */
const otherModel: OptionRule = () => `needs the model ${DIARIZING_MODEL}`

/** The rules of {@link TranscribeOptions}, for the options of functions built on it. */
export const TRANSCRIBE_RULES: OptionRules = {
  ...STREAM_UPLOAD_RULES,
  model: optional(perRequest(model)),
  diarize: optional(perRequest(flag)),
  keyterms: optional(perRequest(texts)),
  body: optional(callback),
}

const BODY_RULES: OptionRules = {
  body: optional(fields({ model: optional(model), diarize: optional(flag), keyterms: optional(texts) })),
}

/** Checks the fields that `body` returns. It throws ConfigurationError naming the field. */
const checkBody: (result: unknown) => void = resultCheck('body', BODY_RULES)

/** Options with any type of values: the check does not depend on it. */
export type UncheckedTranscribeOptions = Omit<TranscribeOptions<never>, 'fields' | 'body'> & {
  /** Check of the text fields. */
  readonly fields?: unknown
  /** Fields that depend on the upload. */
  readonly body?: unknown
  /** Kind of the response. */
  readonly respond?: string | undefined
}

/**
 * Checks options when they are given, the combinations of the interface too.
 *
 * @param caller The function that got them, for messages.
 * @param rules Rules of its further options.
 * @throws ConfigurationError naming the option
 */
export function assertTranscribeOptions(
  options: UncheckedTranscribeOptions,
  caller = 'transcribeRequest',
  rules: OptionRules = {},
): void {
  checkOptions(caller, options, { ...TRANSCRIBE_RULES, ...rules })
  // A function of the upload may choose another model.
  if (options.model !== STANDARD_MODEL || options.body !== undefined) return
  const { respond, diarize, keyterms } = options
  const wrong = {
    keyterms: Array.isArray(keyterms) && keyterms.length > 0,
    diarize: diarize === true,
    respond: respond === 'sse',
  }
  for (const [name, isWrong] of Object.entries(wrong)) {
    if (isWrong) checkOptions(caller, { [name]: Reflect.get(options, name) }, { [name]: otherModel })
  }
}

/** The fields of a transcription that are known before its upload. */
async function fieldsFor<Context>(
  options: Pick<TranscribeOptions<Context>, 'model' | 'diarize' | 'keyterms'>,
  context: Context,
  outcome: TranscribeOutcome,
): Promise<TranscriptionFields> {
  const [chosen, diarize, keyterms] = await Promise.all([
    valueFor(options.model, context, resultCheck('model', TRANSCRIBE_RULES)),
    valueFor(options.diarize, context, resultCheck('diarize', TRANSCRIBE_RULES)),
    valueFor(options.keyterms, context, resultCheck('keyterms', TRANSCRIBE_RULES)),
  ])
  const needsMore = outcome === 'sse' || diarize === true || (keyterms?.length ?? 0) > 0
  return { model: chosen ?? (needsMore ? DIARIZING_MODEL : STANDARD_MODEL), ...definedFields({ diarize, keyterms }) }
}

/** The model that has neither speakers nor events nor `keyterms`. */
export type StandardModel = 'svc-transcribe-1.0'

/** The response is made from the whole transcription. */
export interface RespondJson extends Excluded<'webhook_url' | 'onTask', 'task'> {
  /** `json`: the whole transcription. */
  readonly respond?: 'json'
}

/** The response is the service's event stream. */
export interface RespondSse<Model extends string = string> extends Excluded<'webhook_url' | 'onTask', 'task'> {
  /** `sse`: the service's event stream, while the audio is recognized. */
  readonly respond: [Model] extends [StandardModel] ? Remedies['model'] : 'sse'
}

/** The response is a task. */
export interface RespondTask<Context> extends TaskOptions<Context, TaskHandle<TranscriptionTask>> {
  /** `task`: 202 with a task, for long recordings. Its result is read by `tasks.retrieve` or a webhook. */
  readonly respond: 'task'
}

/** Checked options about the response, without the types of wrong combinations. */
export interface CheckedRespond<Context> extends TaskOptions<Context, TaskHandle<TranscriptionTask>> {
  /** Kind of the response. @default 'json' */
  readonly respond?: 'json' | 'sse' | 'task'
}
