import {
  checkOptions,
  disconnectSignal,
  optionRules,
  type OptionRules,
  STREAM_UPLOAD_RULES,
  type StreamedUpload,
  streamUpload,
  type StreamUploadOptions,
  type Uncalled,
  type UploadValues,
} from '@svc-audio/upload'
import type { Request, RequestHandler, Response } from 'express'
import { asyncHandler, type HandlerOptions } from './async-handler.ts'

/** Options of {@link uploadTo}. */
export interface UploadToOptions<Result, Values = UploadValues>
  extends StreamUploadOptions<Request, Values>, HandlerOptions {
  /** Makes the call with `upload.file` and `upload.options`. */
  readonly call: (upload: StreamedUpload<Values>, request: Request) => Promise<Result>
  /**
   * Answers the request; `req.upload` describes the upload, and `req.body` has the values of its text fields.
   * @default 200 with the result as JSON
   */
  readonly answer?: (result: Result, request: Request, response: Response) => unknown
}

const RULES: OptionRules = {
  ...STREAM_UPLOAD_RULES,
  call: optionRules.callback,
  answer: optionRules.optional(optionRules.callback),
  logger: optionRules.optional(optionRules.logger),
}

/**
 * A handler that streams the one file of a multipart form into any call of the client: a stored file, a voice, a task.
 * Limits, aborts and failures are those of `transcribeUpload`.
 *
 * @throws ConfigurationError here, naming a wrong option
 *
 * @example
 * app.post('/voices', uploadTo({
 *   maxFileSize: 20_000_000,
 *   call: (upload) => client.voices.create({ audio_sample: upload.file, name: upload.field('name') ?? '' }, upload.options),
 * }))
 */
export function uploadTo<Result, Values = UploadValues>(
  options: UploadToOptions<Result, Values>,
  ..._uncalled: Uncalled<'uploadTo'>[]
): RequestHandler {
  checkOptions('uploadTo', options, RULES)
  const { call, answer = sendJson, logger, ...rest } = options
  return asyncHandler(logger === undefined ? {} : { logger }, async (request, response) => {
    const context = { signal: disconnectSignal(response), context: request }
    const { result, upload } = await streamUpload(request, rest, context, (given) => {
      request.body = given.values
      return call(given, request)
    })
    Object.assign(request, { upload, body: upload.values })
    await answer(result, request, response)
    return false
  })
}

function sendJson(result: unknown, _request: Request, response: Response): void {
  response.json(result)
}
