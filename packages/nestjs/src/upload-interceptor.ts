import type { ExecutionContext, NestInterceptor, Type } from '@nestjs/common'
import type { PureAudioClient } from '@svc-audio/core'
import {
  checkOptions,
  optionRules,
  STREAM_UPLOAD_RULES,
  type StreamedUpload,
  streamUpload,
  type StreamUploadOptions,
  type UploadValues,
} from '@svc-audio/upload'
import { fieldsCheckOf, fieldsOption, type FieldsOption, setBody } from './form-values.ts'
import { nativeRequest } from './platform.ts'
import { storeOutcome } from './parameters.ts'
import { assertCalled, MIXIN_RULES, uploadMixin, type UploadMixinOptions } from './upload-mixin.ts'

/** Second argument of `call` of {@link UploadInterceptor}. */
export interface UploadCallContext {
  /** The client of this request. */
  readonly client: PureAudioClient
  /** The context of the handler. */
  readonly context: ExecutionContext
}

/** Options of {@link UploadInterceptor}. Those that are functions get the execution context. */
export interface UploadInterceptorOptions<Values = UploadValues>
  extends Omit<StreamUploadOptions<ExecutionContext>, 'fields'>, UploadMixinOptions {
  /**
   * Checks the text fields before `call`, and refuses the upload with 400: a class with decorators of class-validator, or a
   * Standard Schema. It sees the fields before the file. The route gets the result by `@Body()`. @default none
   */
  readonly fields?: FieldsOption<Values>
  /**
   * Makes the call with `upload.file` and `upload.options`. Throw an exception before the call to refuse the upload: form
   * fields sent before the file are in `upload.fields`.
   */
  readonly call: (upload: StreamedUpload<Values>, context: UploadCallContext) => Promise<unknown>
}

const RULES = { ...STREAM_UPLOAD_RULES, ...MIXIN_RULES, fields: fieldsOption, call: optionRules.callback }

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
export function UploadInterceptor<Values = UploadValues>(
  options: UploadInterceptorOptions<Values>,
): Type<NestInterceptor> {
  assertCalled('UploadInterceptor', new.target)
  const fields = options.fields && fieldsCheckOf(options.fields)
  const check = (given: UploadInterceptorOptions<Values>): void => checkOptions('UploadInterceptor', given, RULES)
  check(options)
  return uploadMixin<UploadInterceptorOptions<Values>>({
    name: 'UploadInterceptor',
    options,
    takes: (option) => option === 'logger' || option in STREAM_UPLOAD_RULES,
    check,
    async work(
      { client: _client, logger: _logger, fields: _fields, call, ...rest },
      { client, signal, context },
      route,
    ) {
      const request = nativeRequest(context)
      const checked: StreamUploadOptions<ExecutionContext, Values> = fields === undefined ? rest : { ...rest, fields }
      const outcome = await streamUpload(request, checked, { signal, context }, async (upload) =>
        call(upload, { client, context }),
      )
      setBody(context, outcome.upload.values)
      storeOutcome(context, outcome)
      await route()
    },
  })
}
