import type { PureAudioClient } from '@svc-audio/core'
import { callback, clientWith, logger as loggerRule, oneOf, optional, perRequest } from '../option-rules.ts'
import {
  assertTaskOptions,
  checkOptions,
  type OptionRules,
  type PerRequest,
  type Remedies,
  resultCheck,
  TASK_RULES,
  valueFor,
} from '../options.ts'
import { type FailureLogger, logFailure } from '../failure.ts'
import type { UploadValues } from '../fields.ts'
import { eventHeaders, eventsBody, taskResponse } from './response.ts'
import { STREAM_UPLOAD_RULES, type StreamedUpload, streamUpload, type StreamUploadOptions } from '../stream-upload.ts'
import {
  assertTranscribeOptions,
  type CheckedRespond,
  type RespondJson,
  type RespondSse,
  type RespondTask,
  type TranscribeContext,
  type TranscribedUpload,
  type TranscribeOptions,
  transcribeRequest,
  transcribeRequestAsEvents,
  transcribeRequestAsTask,
} from '../transcribe.ts'
import type { ServerCall } from './port.ts'

/** Options of every handler that answers a request. */
export interface HandlerLogOptions {
  /** Where failures with status 500 and above are logged, with their cause. `false` logs nothing. @default console */
  readonly logger?: FailureLogger | false
}

/** Options of a transcribing handler that every kind of response has. */
export interface TranscribeHandlerCommon<Context, Values, Model extends string = string>
  extends TranscribeOptions<Context, Values, Model>, HandlerLogOptions {
  /** A client, or a function of the request, e.g. for a key per tenant. Close it yourself. */
  readonly client: PerRequest<PureAudioClient, Context>
}

/** The response is the transcription, or made from it. */
export interface AnswerJson<Context, Values, Answer> extends RespondJson {
  /** Makes the response from the transcription. @default 200 with the transcription as JSON */
  readonly answer?: (outcome: TranscribedUpload<Values>, context: Context) => Answer | Promise<Answer>
}

/** The handler makes the response itself. */
export interface NoResponse {
  /** Not with this `respond`: the type names the remedy. */
  readonly answer?: Remedies['json']
}

/**
 * Options of a handler that transcribes an upload, by `respond`: `json` (the default), `sse` or `task`. Those that may
 * be functions get the framework's request. `Model` is the model if the code names it.
 */
export type TranscribeHandlerOptions<
  Context = Request,
  Values = UploadValues,
  Answer = Response,
  Model extends string = string,
> = TranscribeHandlerCommon<Context, Values, Model> &
  (AnswerJson<Context, Values, Answer> | ((RespondSse<Model> | RespondTask<Context>) & NoResponse))

/** Checked {@link TranscribeHandlerOptions}, without the types of wrong combinations. */
type CheckedHandlerOptions<Context, Values, Answer> = TranscribeHandlerCommon<Context, Values> &
  CheckedRespond<Context> &
  Pick<AnswerJson<Context, Values, Answer>, 'answer'>

/** Options of a handler that streams an upload into a call. */
export interface UploadHandlerOptions<Result, Context = Request, Values = UploadValues, Answer = Response>
  extends StreamUploadOptions<Context, Values>, HandlerLogOptions {
  /** Makes the call with `upload.file` and `upload.options`. */
  readonly call: (upload: StreamedUpload<Values>, context: Context) => Promise<Result>
  /** Makes the response from the result. @default 200 with the result as JSON */
  readonly answer?: (result: Result, context: Context) => Answer | Promise<Answer>
}

/** Answers a request. It throws every failure. */
export type Responder<Given, Context, Answer = Response> = (
  call: ServerCall<Given, Context>,
) => Promise<Response | Answer>

const TRANSCRIBE_HANDLER_RULES: OptionRules = {
  client: perRequest(clientWith('transcriptions')),
  respond: optional(oneOf(['json', 'sse', 'task'])),
  answer: optional(callback),
  ...TASK_RULES,
  logger: optional(loggerRule),
}

const checkClient = resultCheck('client', TRANSCRIBE_HANDLER_RULES)
const checkWebhook = resultCheck('webhook_url', TRANSCRIBE_HANDLER_RULES)

/**
 * Transcribes the one file of a multipart form, for the handlers of a framework.
 * @param caller The function that got the options, for messages.
 * @throws ConfigurationError here, naming a wrong option
 */
export function transcribeResponder<Given, Context, Values, Answer, Model extends string>(
  caller: string,
  given: TranscribeHandlerOptions<Context, Values, Answer, Model>,
): Responder<Given, Context, Answer> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the check refuses every value with a remedy as its type
  const options = given as unknown as CheckedHandlerOptions<Context, Values, Answer>
  assertTranscribeOptions(options, caller, TRANSCRIBE_HANDLER_RULES)
  assertTaskOptions(caller, options)
  if (options.answer !== undefined && (options.respond ?? 'json') !== 'json') {
    checkOptions(caller, { answer: options.answer }, { answer: () => "needs respond: 'json'" })
  }
  const { client, respond = 'json', answer, webhook_url: url, onTask, logger: _, ...rest } = options
  return async (call) => {
    const { context, signal } = call
    const upload = call.upload()
    const work = { client: await valueFor(client, context, checkClient), signal, context }
    if (respond === 'sse') return eventsResponse(call, rest, work)
    if (respond === 'json') {
      const outcome = await transcribeRequest(upload, rest, work)
      return answer === undefined ? Response.json(outcome.transcription) : answer(outcome, context)
    }
    const { task } = await transcribeRequestAsTask(upload, rest, work, await valueFor(url, context, checkWebhook))
    await onTask?.(task, context)
    return taskResponse(task.creation)
  }
}

/**
 * Streams the one file of a multipart form into any call, for the handlers of a framework.
 * @param caller The function that got the options, for messages.
 * @throws ConfigurationError here, naming a wrong option
 */
export function uploadResponder<Given, Result, Context, Values, Answer>(
  caller: string,
  options: UploadHandlerOptions<Result, Context, Values, Answer>,
): Responder<Given, Context, Answer> {
  checkOptions(caller, options, {
    ...STREAM_UPLOAD_RULES,
    call: callback,
    answer: optional(callback),
    logger: optional(loggerRule),
  })
  const { call: work, answer, logger: _, ...rest } = options
  return async ({ upload, signal, context }) => {
    const { result } = await streamUpload(upload(), rest, { signal, context }, work)
    return answer === undefined ? Response.json(result) : answer(result, context)
  }
}

/** The response starts with the service's events. Its end, or a failure after its start, belongs to its body. */
function eventsResponse<Given, Context, Values>(
  { upload, log }: ServerCall<Given, Context>,
  options: TranscribeOptions<Context, Values>,
  context: TranscribeContext<Context>,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    let hasStarted = false
    const call = new AbortController()
    const signal = AbortSignal.any([context.signal, call.signal])
    transcribeRequestAsEvents(upload(), options, { ...context, signal }, async (stream) => {
      const { body, ended } = eventsBody(stream.events(), (reason) => call.abort(reason))
      hasStarted = true
      resolve(new Response(body, { headers: eventHeaders() }))
      await ended
    }).catch((error: unknown) => {
      if (hasStarted) logFailure(error, log)
      else reject(error)
    })
  })
}
