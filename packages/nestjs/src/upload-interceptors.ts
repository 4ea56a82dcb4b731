import { type ExecutionContext, type NestInterceptor, type Type, ValidationPipe } from '@nestjs/common'
import type { PureAudioClient } from '@svc-audio/core'
import type {
  FieldsCheck,
  StreamedUpload,
  StreamUploadOptions,
  TranscribeOptions,
  TranscribeOutcome,
  UploadValues,
} from '@svc-audio/upload'
import {
  checkOptions,
  optionRules,
  type Remedies,
  type RespondTask,
  type StandardModel,
  STREAM_UPLOAD_RULES,
  TRANSCRIBE_RULES,
  transcribeResponder,
  uploadResponder,
} from '@svc-audio/upload/adapter'
import { type RequestOutcome, storeOutcome } from './parameters.ts'
import { type AppValidation, exchangeOf, uploadMixin, type UploadMixinOptions } from './upload-mixin.ts'

/** A class with decorators of class-validator, or a Standard Schema, such as one of zod. */
export type FieldsOption<Values> = Type<Values> | Exclude<FieldsCheck<Values>, (...args: never[]) => unknown>

/**
 * Options of {@link TranscribeUploadInterceptor}. Those that are functions get the execution context. `Model` is the model if the
 * code names it.
 */
export interface TranscribeUploadOptions<Values = UploadValues, Model extends string = string>
  extends
    Omit<TranscribeOptions<ExecutionContext, Values, Model>, 'fields'>,
    Omit<RespondTask<ExecutionContext>, 'respond'>,
    UploadMixinOptions {
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

/**
 * Defaults of the upload interceptors, set with the client: `uploads` of `AudioModule.forRoot()` or of a factory's
 * options. An option of the interceptor replaces its default.
 */
export type AudioUploadDefaults = Omit<
  TranscribeUploadOptions,
  'client' | 'body' | 'fields' | 'validate' | 'respond' | 'webhook_url' | 'onTask'
>

/** @throws ConfigurationError naming the option */
export function checkUploadDefaults(defaults: AudioUploadDefaults): AudioUploadDefaults {
  const { body: _, fields: _fields, ...rules } = TRANSCRIBE_RULES
  checkOptions('AudioModule uploads', defaults, { ...rules, logger: optionRules.optional(optionRules.logger) })
  return defaults
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
 * @UseInterceptors(TranscribeUploadInterceptor({ model: 'svc-transcribe-1.0' }))
 * transcribe(@Transcription() { text }: Transcription) {
 *   return text
 * }
 */
export function TranscribeUploadInterceptor<Values = UploadValues, Model extends string = string>(
  options: TranscribeUploadOptions<Values, Model> = {},
): Type<NestInterceptor> {
  return uploadMixin<TranscribeUploadOptions<Values>>({
    name: 'TranscribeUploadInterceptor',
    target: new.target,
    options,
    rules: { fields: fieldsRule, validate: optionRules.optional(optionRules.callback) },
    takes: (option) => option in TRANSCRIBE_RULES,
    respond(name, { fields, validate, body, ...rest }, validation) {
      const given = {
        ...rest,
        ...checkedFields(fields, validation),
        client: (context: ExecutionContext) => exchangeOf(context).client,
        body: async (context: ExecutionContext, upload: StreamedUpload<Values>) => {
          await validate?.(context, upload)
          return (await body?.(context, upload)) ?? {}
        },
      }
      return transcribeResponder<ExecutionContext, ExecutionContext, Values, void, string>(name, given, {
        json: passOn,
        sse: (context, stream) => passOn(context, { stream }),
        task: passOn,
      })
    },
  })
}

/** Second argument of `call` of {@link ForwardUploadInterceptor}. */
export interface UploadCallContext {
  /** The client of this request. */
  readonly client: PureAudioClient
  /** The context of the handler. */
  readonly context: ExecutionContext
}

/** Options of {@link ForwardUploadInterceptor}. Those that are functions get the execution context. */
export interface ForwardUploadOptions<Values = UploadValues>
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

/**
 * Creates an interceptor that streams the one file of a multipart form into any call: a stored file, a new voice, a task, or
 * a call of your own. The route gets the result by `@UploadResult()`. Everything else is as in `TranscribeUploadInterceptor`.
 *
 * @throws ConfigurationError naming a wrong option, here or when the app starts
 *
 * @example
 * @Post('voices')
 * @UseInterceptors(ForwardUploadInterceptor({
 *   call: ({ file, options }, { client }) => client.voices.create({ audio_sample: file }, options),
 * }))
 * create(@UploadResult() voice: Voice) {
 *   return voice
 * }
 */
export function ForwardUploadInterceptor<Values = UploadValues>(
  options: ForwardUploadOptions<Values>,
): Type<NestInterceptor> {
  return uploadMixin({
    name: 'ForwardUploadInterceptor',
    target: new.target,
    options,
    rules: { fields: fieldsRule, call: optionRules.callback },
    takes: (option) => option in STREAM_UPLOAD_RULES,
    respond(name, { client: _client, fields, call, ...rest }, validation) {
      const given = {
        ...rest,
        ...checkedFields(fields, validation),
        call: (upload: StreamedUpload<Values>, context: ExecutionContext) =>
          call(upload, { client: exchangeOf(context).client, context }),
      }
      return uploadResponder<ExecutionContext, unknown, ExecutionContext, Values, void>(name, given, passOn)
    },
  })
}

/** Runs the route with the outcome as its parameters. */
async function passOn(context: ExecutionContext, outcome: RequestOutcome): Promise<void> {
  storeOutcome(context, outcome)
  await exchangeOf(context).route()
}

const fieldsRule = optionRules.optional((value) =>
  optionRules.fieldsCheck(value) === undefined
    ? undefined
    : 'must be a class with decorators of class-validator, or a Standard Schema such as `z.object(…)`',
)

/**
 * The check of form fields by a class or a schema. A class is checked by Nest's own `ValidationPipe`, which needs
 * class-validator and class-transformer: its errors are those of `@Body()`. Fields without a decorator are dropped. What the
 * global validation pipes of the app would refuse at `@Body()`, e.g. by `forbidNonWhitelisted`, is refused here, before the
 * billable call.
 */
function checkedFields<Values>(
  option: FieldsOption<Values> | undefined,
  validation: AppValidation,
): { readonly fields?: FieldsCheck<Values> } {
  if (option === undefined) return {}
  if (isSchema(option)) return { fields: option }
  const pipe = new ValidationPipe({ transform: true, whitelist: true })
  return {
    fields: async (values) => {
      const argument = { type: 'body', metatype: option } as const
      for (const one of validation()) await one.transform({ ...values }, argument)
      const checked: unknown = await pipe.transform({ ...values }, argument)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the pipe makes an instance of the class
      return checked as Values
    },
  }
}

/** Schemas of arktype are functions too, as classes are. */
function isSchema<Values>(option: FieldsOption<Values>): option is Exclude<FieldsOption<Values>, Type<Values>> {
  return typeof option !== 'function' || '~standard' in option
}
