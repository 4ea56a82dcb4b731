import {
  checkOptions,
  disconnectSignal,
  optionRules,
  type OptionRules,
  STREAM_UPLOAD_RULES,
  type StreamedUpload,
  streamUpload,
  type StreamUploadOptions,
} from '@svc-audio/upload'
import type { Request, RequestHandler, Response } from 'express'
import { asyncHandler, type HandlerOptions } from './async-handler.ts'

/** Options of {@link uploadTo}. */
export interface UploadToOptions<Result> extends StreamUploadOptions<Request>, HandlerOptions {
  /** Makes the call with `upload.file` and `upload.options`. */
  readonly call: (upload: StreamedUpload, request: Request) => Promise<Result>
  /** Answers the request; `req.upload` describes the upload. @default 200 with the result as JSON */
  readonly respond?: (result: Result, request: Request, response: Response) => unknown
}

const RULES: OptionRules = {
  ...STREAM_UPLOAD_RULES,
  call: optionRules.callback,
  respond: optionRules.optional(optionRules.callback),
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
 *   call: ({ file, fields, options }) => client.voices.create({ audio_sample: file, name: fields.name?.[0] }, options),
 * }))
 */
export function uploadTo<Result>(options: UploadToOptions<Result>): RequestHandler {
  checkOptions('uploadTo', options, RULES)
  const { call, respond = sendJson, logger, ...rest } = options
  return asyncHandler(logger === undefined ? {} : { logger }, async (request, response) => {
    const context = { signal: disconnectSignal(response), context: request }
    const { result, upload } = await streamUpload(request, rest, context, call)
    Object.assign(request, { upload })
    await respond(result, request, response)
    return false
  })
}

function sendJson(result: unknown, _request: Request, response: Response): void {
  response.json(result)
}
