import { FAILURE_CODES } from '@svc-audio/upload'

/** An OpenAPI schema of the body of failures. */
export interface AudioErrorSchema {
  type: 'object'
  required: string[]
  properties: Record<string, { type: 'integer' | 'string'; description: string; examples?: string[] }>
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
