import { applyDecorators, type Type } from '@nestjs/common'
import { ApiBody, type ApiBodyOptions, ApiConsumes, ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger'
import { ConfigurationError } from '@svc-audio/core'
import { checkOptions, type DescribedFields, type OptionRule, optionRules } from '@svc-audio/upload/adapter'
import { AUDIO_ERROR_SCHEMA } from '../audio-exception.ts'

/** Options of {@link ApiAudioUpload}. */
export interface ApiAudioUploadOptions {
  /** Name of the form field that holds the file. @default 'file' */
  readonly fileField?: string
  /**
   * The text fields, as `fields` of the interceptor has them: the class, with `@ApiProperty()`, or the schema, if it can say
   * itself as JSON Schema (zod from 4.2; valibot by `toStandardJsonSchema`; arktype from 2.1.28). @default none
   */
  readonly fields?: Type<unknown> | DescribedFields
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
 * @throws ConfigurationError naming a wrong option, or `fields` with a part that has no JSON Schema
 *
 * @example
 * @Post('transcribe')
 * @ApiAudioUpload({ fields: MeetingDto })
 * @UseInterceptors(TranscribeUploadInterceptor({ fields: MeetingDto }))
 */
export function ApiAudioUpload(options: ApiAudioUploadOptions = {}): MethodDecorator & ClassDecorator {
  checkOptions('ApiAudioUpload', options, {
    fileField: optionRules.optional(optionRules.text),
    fields: optionRules.optional(fieldsRule),
    description: optionRules.optional(optionRules.text),
  })
  const { fileField = 'file', fields, description = fields && 'The text fields stand before the file.' } = options
  return applyDecorators(
    ...(fields === undefined || isSchema(fields) ? [] : [ApiExtraModels(fields)]),
    ApiConsumes('multipart/form-data'),
    ApiBody({
      ...(description === undefined ? {} : { description }),
      schema: bodySchema(fileField, fields),
    }),
    ...Object.entries(FAILURES).map(([status, text]) =>
      ApiResponse({ status: Number(status), description: text, schema: AUDIO_ERROR_SCHEMA }),
    ),
  )
}

type Fields = NonNullable<ApiAudioUploadOptions['fields']>
type BodySchema = Extract<ApiBodyOptions, { schema: unknown }>['schema']

/** Schemas of arktype are functions too, as classes are. */
function isSchema(fields: Fields): fields is DescribedFields {
  return '~standard' in fields
}

const fieldsRule: OptionRule = (value) => {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function'
  if (!isObject) return 'must be a class with `@ApiProperty()`, or a schema such as `z.object(…)`'
  if (typeof value === 'function' && !('~standard' in value)) return undefined
  const standard: unknown = '~standard' in value ? value['~standard'] : undefined
  if (typeof standard === 'object' && standard !== null && 'jsonSchema' in standard) return undefined
  return 'must be a class with `@ApiProperty()`, or a schema with Standard JSON Schema: zod from 4.2, or wrap a schema of valibot in `toStandardJsonSchema()`'
}

/** The form: its text fields and the file. */
function bodySchema(fileField: string, fields: Fields | undefined): BodySchema {
  const file = { [fileField]: { type: 'string', format: 'binary' } }
  const form = { type: 'object', required: [fileField], properties: file }
  if (fields === undefined) return form
  if (!isSchema(fields)) return { allOf: [{ $ref: getSchemaPath(fields) }, form] }
  const { properties, required, ...rest } = jsonSchemaOf(fields)
  // One object, not `allOf`: a strict schema forbids additional properties, and the file would be one.
  return {
    ...rest,
    type: 'object',
    properties: { ...(isRecord(properties) ? properties : {}), ...file },
    required: [...(Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []), fileField],
  }
}

function jsonSchemaOf(fields: DescribedFields): Record<string, unknown> {
  try {
    return fields['~standard'].jsonSchema.input({ target: 'openapi-3.0' })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new ConfigurationError(
      `ApiAudioUpload(): \`fields\` has a part without a JSON Schema (${reason}). Describe the body with \`@ApiBody()\``,
      { cause },
    )
  }
}

function isRecord(value: unknown): value is Record<string, object> {
  return typeof value === 'object' && value !== null
}
