import type { ExecutionContext, NestInterceptor, Type } from '@nestjs/common'
import {
  assertTranscribeOptions,
  optionRules,
  type StreamedUpload,
  TRANSCRIBE_RULES,
  type TranscribeOptions,
  type TranscribeOutcome,
  transcribeRequest,
  transcribeRequestAsEvents,
  transcribeRequestAsTask,
} from '@svc-audio/upload'
import { nativeRequest } from './platform.ts'
import { storeOutcome } from './request-outcome.ts'
import { MIXIN_RULES, uploadMixin, type UploadMixinOptions, type UploadWork } from './upload-mixin.ts'

/** Options of {@link TranscribeInterceptor}. Those that are functions get the execution context. */
export interface TranscribeInterceptorOptions extends TranscribeOptions<ExecutionContext>, UploadMixinOptions {
  /**
   * Argument of the route. `json`: the transcription, by `@Transcription()`. `sse`: its events while the service recognizes
   * the file, by `@TranscriptionStream()`. `task`: a new task, by `@TranscriptionTask()`. @default 'json'
   */
  readonly respond?: TranscribeOutcome
  /**
   * Runs before the call to the service, which is billable. Throw to refuse the upload, e.g. a `BadRequestException`. Nest
   * runs pipes after interceptors, so a pipe is too late. Form fields sent before the file are in `upload.fields`. To
   * refuse before any byte is read, use a guard.
   */
  readonly validate?: (context: ExecutionContext, upload: StreamedUpload) => unknown
}

const RULES = {
  ...MIXIN_RULES,
  respond: optionRules.optional(optionRules.oneOf(['json', 'sse', 'task'])),
  validate: optionRules.optional(optionRules.callback),
}

/**
 * Creates an interceptor that transcribes the one file of a multipart form before the route runs, on Express and on
 * Fastify. The file streams to the service while it arrives, and is not stored in memory or on disk. A disconnect of the
 * client aborts the call. So does an outer interceptor that unsubscribes, such as a timeout.
 *
 * Failures are Nest's own exceptions, such as `BadRequestException`, with `{ statusCode, errorCode, message }` as their
 * body, `Retry-After` if the service sent it, and the original error as `cause`. An upload cannot be sent twice,
 * so a failed call is not retried.
 *
 * @throws ConfigurationError naming a wrong option, here or when the app starts
 *
 * @example
 * @Post('transcribe')
 * @UseInterceptors(TranscribeInterceptor({ model: 'svc-transcribe-1.0' }))
 * transcribe(@Transcription() { text }: Transcription) {
 *   return text
 * }
 */
export function TranscribeInterceptor(options: TranscribeInterceptorOptions = {}): Type<NestInterceptor> {
  const check = (given: TranscribeInterceptorOptions): void =>
    assertTranscribeOptions(given, 'TranscribeInterceptor', RULES)
  check(options)
  return uploadMixin({
    name: 'TranscribeInterceptor',
    options,
    takes: (option) => option === 'logger' || option in TRANSCRIBE_RULES,
    check,
    work: transcribe,
  })
}

async function transcribe(
  { client: _client, logger: _logger, respond = 'json', validate, body, ...options }: TranscribeInterceptorOptions,
  work: UploadWork,
  route: () => Promise<void>,
): Promise<void> {
  const { context } = work
  const request = nativeRequest(context)
  const checked: TranscribeOptions<ExecutionContext> = {
    ...options,
    // Runs before the call to the service, and gets the upload.
    body: async (_context, upload) => {
      await validate?.(context, upload)
      return (await body?.(context, upload)) ?? {}
    },
  }
  if (respond === 'sse') {
    await transcribeRequestAsEvents(request, checked, work, async (stream) => {
      storeOutcome(context, { stream })
      await route()
    })
    return
  }
  const transcribing = respond === 'task' ? transcribeRequestAsTask : transcribeRequest
  storeOutcome(context, await transcribing(request, checked, work))
  await route()
}
