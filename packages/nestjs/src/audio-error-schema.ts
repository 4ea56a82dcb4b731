import { FAILURE_CODES } from '@svc-audio/upload'

/** An OpenAPI schema of the body of failures. */
export interface AudioErrorSchema {
  /** The body is an object. */
  type: 'object'
  /** Names of the fields that every body has. */
  required: string[]
  /** A schema for each field. */
  properties: Record<string, AudioErrorFieldSchema>
}

/** An OpenAPI schema of a field of {@link AudioErrorSchema}. */
export interface AudioErrorFieldSchema {
  /** Type of the value. */
  type: 'integer' | 'string'
  /** What the field means. */
  description: string
  /** Every value that the packages send. */
  examples?: string[]
}

/** The OpenAPI schema of `AudioErrorBody`, for routes that you describe yourself. */
export const AUDIO_ERROR_SCHEMA: AudioErrorSchema = {
  type: 'object',
  required: ['statusCode', 'errorCode', 'message'],
  properties: {
    statusCode: { type: 'integer', description: 'HTTP status' },
    errorCode: { type: 'string', description: 'For programs', examples: [...FAILURE_CODES] },
    message: { type: 'string', description: 'For people' },
  },
}
