import type { PureAudioClient } from '@svc-audio/core'
import {
  assertTranscribeOptions,
  type CheckedRespond,
  disconnectSignal,
  optionRules,
  type OptionRules,
  type PerRequest,
  type RespondJson,
  type RespondSse,
  type RespondTask,
  resultCheck,
  sendEvents,
  type TranscribeContext,
  type TranscribeOptions,
  transcribeRequest,
  transcribeRequestAsEvents,
  transcribeRequestAsTask,
  type Uncalled,
  type UploadValues,
  valueFor,
  assertTaskOptions,
  TASK_RULES,
} from '@svc-audio/upload'
import type { Request, RequestHandler, Response } from 'express'
import { asyncHandler, type HandlerOptions } from './async-handler.ts'
import { sendTask } from './send-task.ts'

/** Options of {@link transcribeUpload} that every kind of response has. */
export interface CommonTranscribeOptions<Values = UploadValues, Model extends string = string>
  extends TranscribeOptions<Request, Values, Model>, HandlerOptions {
  /** An `AudioClient`, or a function of the request, e.g. for a key per tenant. Close it yourself. */
  readonly client: PerRequest<PureAudioClient, Request>
}

/**
 * Options of {@link transcribeUpload}, by `respond`. Those that may be functions get the request.
 *
 * - `json`, the default: the next handler runs, with `req.transcription`, `req.upload`, and the values of the text fields in
 *   `req.body`. It responds.
 * - `sse`: the response is the service's event stream, while the audio is recognized.
 * - `task`: the response is 202 with a task, for long recordings. Its result is read by `tasks.retrieve` or a webhook.
 */
export type TranscribeUploadOptions<Values = UploadValues, Model extends string = string> = CommonTranscribeOptions<
  Values,
  Model
> &
  (RespondJson | RespondSse<Model> | RespondTask<Request>)

const RULES: OptionRules = {
  client: optionRules.perRequest(optionRules.clientWith('transcriptions')),
  respond: optionRules.optional(optionRules.oneOf(['json', 'sse', 'task'])),
  ...TASK_RULES,
  logger: optionRules.optional(optionRules.logger),
}

const checkClient = resultCheck('client', RULES)
const checkWebhook = resultCheck('webhook_url', RULES)

/**
 * Middleware that transcribes the one file of a multipart form. The file streams to the service, which starts before the
 * upload has ended: nothing of it is stored in memory or on disk. When the client disconnects, the call is aborted.
 *
 * Every failure goes to `next`, safe to show: `UploadError`, `AudioGatewayError` or `ClientDisconnectedError`, each with
 * `status`, `code` and a message for the caller. A failed call is not retried: an upload in flight cannot be sent twice.
 *
 * @throws ConfigurationError here, naming a wrong option
 *
 * @example
 * app.post('/transcribe', transcribeUpload({ client, model: 'svc-transcribe-1.0' }), (req, res) => {
 *   res.json(req.transcription)
 * })
 */
export function transcribeUpload<Values = UploadValues, Model extends string = string>(
  given: TranscribeUploadOptions<Values, Model>,
  ..._uncalled: Uncalled<'transcribeUpload'>[]
): RequestHandler {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the check refuses every value with a remedy as its type
  const options = given as unknown as CommonTranscribeOptions<Values> & CheckedRespond<Request>
  assertTranscribeOptions(options, 'transcribeUpload', RULES)
  assertTaskOptions('transcribeUpload', options)
  const { client, respond = 'json', webhook_url: webhookUrl, onTask, logger, ...rest } = options
  const answer = { json: transcribeNext<Values>, sse: transcribeEvents<Values>, task: transcribeTask }[respond]
  const { body } = rest
  const filling: TranscribeOptions<Request, Values> = {
    ...rest,
    // Runs before the call: the app's other functions can read the body.
    body: (request, upload) => {
      request.body = upload.values
      return body?.(request, upload) ?? {}
    },
  }
  return asyncHandler(logger === undefined ? {} : { logger }, async (request, response) => {
    const signal = disconnectSignal(response)
    const context = { client: await valueFor(client, request, checkClient), signal, context: request }
    return answer(filling, context, response)
  })

  async function transcribeTask(
    rules: TranscribeOptions<Request, Values>,
    context: Context,
    response: Response,
  ): Promise<boolean> {
    const request = context.context
    const { task } = await transcribeRequestAsTask(
      request,
      rules,
      context,
      await valueFor(webhookUrl, request, checkWebhook),
    )
    await onTask?.(task, request)
    sendTask(response, task.creation)
    return false
  }
}

type Context = TranscribeContext<Request>

async function transcribeNext<Values>(options: TranscribeOptions<Request, Values>, context: Context): Promise<boolean> {
  const outcome = await transcribeRequest(context.context, options, context)
  Object.assign(context.context, outcome, { body: outcome.upload.values })
  return true
}

async function transcribeEvents<Values>(
  options: TranscribeOptions<Request, Values>,
  context: Context,
  response: Response,
): Promise<boolean> {
  await transcribeRequestAsEvents(context.context, options, context, (stream) =>
    sendEvents(response, stream.events(), { signal: context.signal }),
  )
  return false
}
