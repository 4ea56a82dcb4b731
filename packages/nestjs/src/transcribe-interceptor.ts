import type { ExecutionContext, NestInterceptor, Type } from '@nestjs/common'
import {
  assertTranscribeOptions,
  type FieldsCheck,
  optionRules,
  type Remedies,
  type StandardModel,
  type StreamedUpload,
  TRANSCRIBE_RULES,
  type TranscribeOptions,
  type TranscribeOutcome,
  transcribeRequest,
  transcribeRequestAsEvents,
  transcribeRequestAsTask,
  type UploadValues,
} from '@svc-audio/upload'
import { fieldsCheckOf, fieldsOption, type FieldsOption, setBody } from './form-values.ts'
import { nativeRequest } from './platform.ts'
import { storeOutcome } from './parameters.ts'
import { assertCalled, MIXIN_RULES, uploadMixin, type UploadMixinOptions, type UploadWork } from './upload-mixin.ts'

/**
 * Options of {@link TranscribeInterceptor}. Those that are functions get the execution context. `Model` is the model if the
 * code names it.
 */
export interface TranscribeInterceptorOptions<Values = UploadValues, Model extends string = string>
  extends Omit<TranscribeOptions<ExecutionContext, Values, Model>, 'fields'>, UploadMixinOptions {
  /**
   * Checks the text fields before the call to the service, which is billable, and refuses the upload with 400: a class with
   * decorators of class-validator, or a Standard Schema. It sees the fields before the file: put them first in your form.
   * The route gets the result by `@Body()`. @default none
   */
  readonly fields?: FieldsOption<Values>
  /**
   * Argument of the route. `json`: the transcription, by `@Transcription()`. `sse`: its events while the service recognizes
   * the file, by `@TranscriptionStream()`. `task`: a new task, by `@TranscriptionTask()`. @default 'json'
   */
  readonly respond?: [Model] extends [StandardModel] ? 'json' | 'task' | Remedies['model'] : TranscribeOutcome
  /**
   * Runs before the call to the service, which is billable. Throw to refuse the upload, e.g. a `BadRequestException`. Nest
   * runs pipes after interceptors, so a pipe is too late. Form fields sent before the file are in `upload.fields`. To
   * refuse before any byte is read, use a guard.
   */
  readonly validate?: (context: ExecutionContext, upload: StreamedUpload<Values>) => unknown
}

const RULES = {
  ...MIXIN_RULES,
  respond: optionRules.optional(optionRules.oneOf(['json', 'sse', 'task'])),
  validate: optionRules.optional(optionRules.callback),
  fields: fieldsOption,
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
export function TranscribeInterceptor<Values = UploadValues, Model extends string = string>(
  given: TranscribeInterceptorOptions<Values, Model> = {},
): Type<NestInterceptor> {
  assertCalled('TranscribeInterceptor', new.target)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the check refuses every value with a remedy as its type
  const options = given as unknown as TranscribeInterceptorOptions<Values>
  const fields = options.fields && fieldsCheckOf(options.fields)
  const check = (merged: TranscribeInterceptorOptions<Values>): void =>
    assertTranscribeOptions(merged, 'TranscribeInterceptor', RULES)
  check(options)
  return uploadMixin({
    name: 'TranscribeInterceptor',
    options,
    takes: (option) => option === 'logger' || option in TRANSCRIBE_RULES,
    check,
    work: (merged, work, route) => transcribe(merged, fields, work, route),
  })
}

async function transcribe<Values>(
  {
    client: _client,
    logger: _logger,
    fields: _fields,
    respond = 'json',
    validate,
    body,
    ...options
  }: TranscribeInterceptorOptions<Values>,
  fields: FieldsCheck<Values> | undefined,
  work: UploadWork,
  route: () => Promise<void>,
): Promise<void> {
  const { context } = work
  const request = nativeRequest(context)
  const checked: TranscribeOptions<ExecutionContext, Values> = {
    ...options,
    ...(fields === undefined ? {} : { fields }),
    // Runs before the call to the service, and gets the upload.
    body: async (_context, upload) => {
      setBody(context, upload.values)
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
  const outcome = await transcribing(request, checked, work)
  setBody(context, outcome.upload.values)
  storeOutcome(context, outcome)
  await route()
}
