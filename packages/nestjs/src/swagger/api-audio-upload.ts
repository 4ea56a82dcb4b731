import { applyDecorators, type Type } from '@nestjs/common'
import { ApiBody, ApiConsumes, ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger'
import { checkOptions, optionRules } from '@svc-audio/upload'
import { AUDIO_ERROR_SCHEMA } from '../audio-error-schema.ts'

/** Options of {@link ApiAudioUpload}. */
export interface ApiAudioUploadOptions {
  /** Name of the form field that holds the file. @default 'file' */
  readonly fileField?: string
  /** The text fields: the class that `fields` of the interceptor has, with `@ApiProperty()`. @default none */
  readonly fields?: Type<unknown>
  /** Description of the body. @default 'The text fields stand before the file.' with `fields`, else none */
  readonly description?: string
}

/** The failures of an upload, by status. */
const FAILURES: Readonly<Record<number, string>> = {
  400: 'The form has no file, wrong fields, or content that the service refuses',
  408: 'The upload took too long',
  413: 'The file or the form is too large',
  415: 'The content is not accepted',
  429: 'Too many requests: see Retry-After',
  502: 'The audio service failed',
  503: 'The server is shutting down: see Retry-After',
  504: 'The audio service did not respond in time',
}

/**
 * Describes a route with an upload interceptor in the OpenAPI document: the multipart body with its file, and the failures.
 * Describe the success with `@ApiCreatedResponse()` or the like.
 *
 * @throws ConfigurationError naming a wrong option
 *
 * @example
 * @Post('transcribe')
 * @ApiAudioUpload({ fields: MeetingDto })
 * @UseInterceptors(TranscribeInterceptor({ fields: MeetingDto }))
 */
export function ApiAudioUpload(options: ApiAudioUploadOptions = {}): MethodDecorator & ClassDecorator {
  checkOptions('ApiAudioUpload', options, {
    fileField: optionRules.optional(optionRules.text),
    fields: optionRules.optional(optionRules.callback),
    description: optionRules.optional(optionRules.text),
  })
  const { fileField = 'file', fields, description = fields && 'The text fields stand before the file.' } = options
  const file = {
    type: 'object',
    required: [fileField],
    properties: { [fileField]: { type: 'string', format: 'binary' } },
  }
  return applyDecorators(
    ...(fields === undefined ? [] : [ApiExtraModels(fields)]),
    ApiConsumes('multipart/form-data'),
    ApiBody({
      ...(description === undefined ? {} : { description }),
      schema: fields === undefined ? file : { allOf: [{ $ref: getSchemaPath(fields) }, file] },
    }),
    ...Object.entries(FAILURES).map(([status, text]) =>
      ApiResponse({ status: Number(status), description: text, schema: AUDIO_ERROR_SCHEMA }),
    ),
  )
}
