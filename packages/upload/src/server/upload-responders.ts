import type { PureAudioClient, TranscriptionStream } from '@svc-audio/core'
import { callback, clientWith, logger as loggerRule, oneOf, optional, perRequest } from '../option-rules.ts'
import { checkOptions, type OptionRules, type PerRequest, type Excluded, resultCheck, valueFor } from '../options.ts'
import type { UploadValues } from '../fields.ts'
import {
  STREAM_UPLOAD_RULES,
  streamUpload,
  type StreamUploadOptions,
  type StreamUploadOutcome,
} from '../stream-upload.ts'
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
  type TranscriptionTaskUpload,
} from '../transcribe.ts'
import { assertTaskOptions, startTask, TASK_RULES } from '../task.ts'
import type { HandlerLogOptions, Responder, ServerCall } from './port.ts'
import { eventsResponse, taskResponse } from './response.ts'
import type { StreamedUpload } from '../upload.ts'

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
export type NoResponse = Excluded<'answer', 'json'>

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

/**
 * Where a framework passes the outcome of a transcription on, instead of answering with it: to the next handler, or to a
 * route. What is left out is answered.
 */
export interface TranscriptionDelivery<Given, Values, Answer> {
  /** Gets the transcription. */
  readonly json?: (given: Given, outcome: TranscribedUpload<Values>) => Promise<Answer>
  /** Gets the events, and reads them to their end. */
  readonly sse?: (given: Given, stream: TranscriptionStream) => Promise<Answer>
  /** Gets the task. */
  readonly task?: (given: Given, outcome: TranscriptionTaskUpload<Values>) => Promise<Answer>
}

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
 * @param deliver Where outcomes go that are not the response.
 * @throws ConfigurationError here, naming a wrong option
 */
export function transcribeResponder<Given, Context, Values, Answer, Model extends string>(
  caller: string,
  given: TranscribeHandlerOptions<Context, Values, Answer, Model> | CheckedHandlerOptions<Context, Values, Answer>,
  deliver: TranscriptionDelivery<Given, Values, Answer> = {},
): Responder<Given, Context, Answer> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the check refuses every value with a remedy as its type
  const options = given as unknown as CheckedHandlerOptions<Context, Values, Answer>
  assertTranscribeOptions(options, caller, TRANSCRIBE_HANDLER_RULES)
  assertTaskOptions(caller, options)
  if (options.answer !== undefined && (options.respond ?? 'json') !== 'json') {
    checkOptions(caller, { answer: options.answer }, { answer: () => "needs respond: 'json'" })
  }
  const { client, respond = 'json', answer, webhook_url: url, onTask, logger: _, body, ...rest } = options
  return async (call) => {
    const { context, signal } = call
    const work = { client: await valueFor(client, context, checkClient), signal, context }
    const filling: TranscribeOptions<Context, Values> = {
      ...rest,
      // Runs before the call: the other functions of the application can read the body.
      body: (_context, upload) => {
        call.setBody(upload.values)
        return body?.(context, upload) ?? {}
      },
    }
    if (respond === 'sse') return respondWithEvents(call, filling, work, deliver.sse)
    if (respond === 'json') {
      const outcome = await transcribeRequest(call.upload(), filling, work)
      call.setBody(outcome.upload.values)
      if (deliver.json !== undefined) return deliver.json(call.given, outcome)
      return answer === undefined ? Response.json(outcome.transcription) : answer(outcome, context)
    }
    return startTask({
      webhook: await valueFor(url, context, checkWebhook),
      create: (address) => transcribeRequestAsTask(call.upload(), filling, work, address),
      idOf: ({ task }) => task.id,
      store: async (outcome): Promise<Response | Answer> => {
        call.setBody(outcome.upload.values)
        await onTask?.(outcome.task, context)
        return deliver.task === undefined ? taskResponse(outcome.task.creation) : deliver.task(call.given, outcome)
      },
      logger: call.log.logger,
    })
  }
}

async function respondWithEvents<Given, Context, Values, Answer>(
  call: ServerCall<Given, Context>,
  options: TranscribeOptions<Context, Values>,
  context: TranscribeContext<Context>,
  deliver: TranscriptionDelivery<Given, Values, Answer>['sse'],
): Promise<Response | Answer> {
  if (deliver === undefined) return startEvents(call, options, context)
  const consume = (stream: TranscriptionStream): Promise<Answer> => deliver(call.given, stream)
  return (await transcribeRequestAsEvents(call.upload(), options, context, consume)).result
}

/** The response starts with the service's events. Its end, or a failure after its start, belongs to its body. */
function startEvents<Given, Context, Values>(
  call: ServerCall<Given, Context>,
  options: TranscribeOptions<Context, Values>,
  context: TranscribeContext<Context>,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    let hasStarted = false
    const cancel = new AbortController()
    const signal = AbortSignal.any([context.signal, cancel.signal])
    transcribeRequestAsEvents(call.upload(), options, { ...context, signal }, async (stream) => {
      const { response, ended } = eventsResponse(stream.events(), (reason) => cancel.abort(reason))
      hasStarted = true
      resolve(response)
      await ended
    }).catch((error: unknown) => {
      if (!hasStarted) reject(error)
      // The end of the connection is no news: the response knows of it.
      else if (!signal.aborted) call.failLate(error)
    })
  })
}

/** {@link UploadHandlerOptions} of a framework whose `answer` has more parameters. */
interface FrameworkUploadOptions<Result, Context, Values, Answer> extends Omit<
  UploadHandlerOptions<Result, Context, Values, Answer>,
  'answer'
> {
  /** Only `deliver` can call it with more parameters. */
  readonly answer?: (result: Result, context: Context, ...more: never[]) => Answer | Promise<Answer>
}

/**
 * Streams the one file of a multipart form into any call, for the handlers of a framework.
 * @param caller The function that got the options, for messages.
 * @param deliver Where the outcome goes if it is not the response.
 * @throws ConfigurationError here, naming a wrong option
 */
export function uploadResponder<Given, Result, Context, Values, Answer>(
  caller: string,
  options: FrameworkUploadOptions<Result, Context, Values, Answer>,
  deliver?: (given: Given, outcome: StreamUploadOutcome<Result, Values>) => Promise<Answer>,
): Responder<Given, Context, Answer> {
  checkOptions(caller, options, {
    ...STREAM_UPLOAD_RULES,
    call: callback,
    answer: optional(callback),
    logger: optional(loggerRule),
  })
  const { call: work, answer, logger: _, ...rest } = options
  return async (call) => {
    const { context, signal, given } = call
    const outcome = await streamUpload(call.upload(), rest, { signal, context }, (upload) => {
      call.setBody(upload.values)
      return work(upload, context)
    })
    call.setBody(outcome.upload.values)
    if (deliver !== undefined) return deliver(given, outcome)
    return answer === undefined ? Response.json(outcome.result) : answer(outcome.result, context)
  }
}
