import type { PureAudioClient, TaskHandle, TranscriptionTask } from '@svc-audio/core'
import {
  assertTranscribeOptions,
  disconnectSignal,
  optionRules,
  type OptionRules,
  type PerRequest,
  resultCheck,
  sendEvents,
  type TranscribeContext,
  type TranscribeOptions,
  transcribeRequest,
  transcribeRequestAsEvents,
  transcribeRequestAsTask,
  valueFor,
} from '@svc-audio/upload'
import type { Request, RequestHandler, Response } from 'express'
import { asyncHandler, type HandlerOptions } from './async-handler.ts'
import { sendTask } from './send-task.ts'
import { assertTaskOptions, TASK_RULES } from './task-options.ts'

/** Options of {@link transcribeUpload}. Those that may be functions get the request. */
export interface TranscribeUploadOptions extends TranscribeOptions<Request>, HandlerOptions {
  /** An `AudioClient`, or a function of the request, e.g. for a key per tenant. Close it yourself. */
  readonly client: PerRequest<PureAudioClient, Request>
  /**
   * - `next`: the next handler runs, with `req.transcription` and `req.upload`.
   * - `sse`: the answer is the service's event stream, while the audio is recognized.
   * - `task`: the answer is 202 with a task, for long recordings. Its result is read by `tasks.retrieve` or a webhook.
   *
   * @default 'next'
   */
  readonly respond?: 'next' | 'sse' | 'task'
  /** Address that the service calls when the task ends (`respond: 'task'`). @default none */
  readonly webhook_url?: PerRequest<string | undefined, Request>
  /** Gets the task before the answer is sent (`respond: 'task'`), e.g. to store its id. @default nothing */
  readonly onTask?: (task: TaskHandle<TranscriptionTask>, request: Request) => void | Promise<void>
}

const RULES: OptionRules = {
  client: optionRules.perRequest(optionRules.clientWith('transcriptions')),
  respond: optionRules.optional(optionRules.oneOf(['next', 'sse', 'task'])),
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
export function transcribeUpload(options: TranscribeUploadOptions): RequestHandler {
  assertTranscribeOptions(options, 'transcribeUpload', RULES)
  assertTaskOptions('transcribeUpload', options)
  const { client, respond = 'next', webhook_url: webhookUrl, onTask, logger, ...rest } = options
  const answer = { next: transcribeNext, sse: transcribeEvents, task: transcribeTask }[respond]
  return asyncHandler(logger === undefined ? {} : { logger }, async (request, response) => {
    const signal = disconnectSignal(response)
    const context = { client: await valueFor(client, request, checkClient), signal, context: request }
    return answer(rest, context, response)
  })

  async function transcribeTask(rules: Rest, context: Context, response: Response): Promise<boolean> {
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

type Rest = TranscribeOptions<Request>
type Context = TranscribeContext<Request>

async function transcribeNext(options: Rest, context: Context): Promise<boolean> {
  Object.assign(context.context, await transcribeRequest(context.context, options, context))
  return true
}

async function transcribeEvents(options: Rest, context: Context, response: Response): Promise<boolean> {
  await transcribeRequestAsEvents(context.context, options, context, (stream) =>
    sendEvents(response, stream.events(), { signal: context.signal }),
  )
  return false
}
