import type { ExecutionContext, NestInterceptor, Type } from '@nestjs/common'
import type { PureAudioClient } from '@svc-audio/core'
import {
  checkOptions,
  optionRules,
  STREAM_UPLOAD_RULES,
  type StreamedUpload,
  streamUpload,
  type StreamUploadOptions,
} from '@svc-audio/upload'
import { nativeRequest } from './platform.ts'
import { storeOutcome } from './request-outcome.ts'
import { MIXIN_RULES, uploadMixin, type UploadMixinOptions } from './upload-mixin.ts'

/** Second argument of `call` of {@link UploadInterceptor}. */
export interface UploadCallContext {
  readonly client: PureAudioClient
  readonly context: ExecutionContext
}

/** Options of {@link UploadInterceptor}. Those that are functions get the execution context. */
export interface UploadInterceptorOptions extends StreamUploadOptions<ExecutionContext>, UploadMixinOptions {
  /**
   * Makes the call with `upload.file` and `upload.options`. Throw an exception before the call to refuse the upload: form
   * fields sent before the file are in `upload.fields`.
   */
  readonly call: (upload: StreamedUpload, context: UploadCallContext) => Promise<unknown>
}

const RULES = { ...STREAM_UPLOAD_RULES, ...MIXIN_RULES, call: optionRules.callback }

/**
 * Creates an interceptor that streams the one file of a multipart form into any call: a stored file, a new voice, a task, or
 * a call of your own. The route gets the result by `@UploadResult()`. Everything else is as in `TranscribeInterceptor`.
 *
 * @throws ConfigurationError naming a wrong option, here or when the app starts
 *
 * @example
 * @Post('voices')
 * @UseInterceptors(UploadInterceptor({
 *   call: ({ file, options }, { client }) => client.voices.create({ audio_sample: file }, options),
 * }))
 * create(@UploadResult() voice: Voice) {
 *   return voice
 * }
 */
export function UploadInterceptor(options: UploadInterceptorOptions): Type<NestInterceptor> {
  const check = (given: UploadInterceptorOptions): void => checkOptions('UploadInterceptor', given, RULES)
  check(options)
  return uploadMixin<UploadInterceptorOptions>({
    name: 'UploadInterceptor',
    options,
    takes: (option) => option === 'logger' || option in STREAM_UPLOAD_RULES,
    check,
    async work({ client: _client, logger: _logger, call, ...rest }, { client, signal, context }, route) {
      const outcome = await streamUpload(nativeRequest(context), rest, { signal, context }, async (upload) =>
        call(upload, { client, context }),
      )
      storeOutcome(context, outcome)
      await route()
    },
  })
}
