import { type IntegrationRequest, MAX_INTEGRATION_CHARACTERS } from '../../shared/api.ts'
import { HttpError } from '../http/http-error.ts'

/**
 * Reads the body of a run.
 * @throws HttpError 400 with the wrong field
 */
export function readIntegrationRequest(body: unknown): IntegrationRequest {
  const { text, voice } = fieldsOf(body)
  if (typeof text !== 'string' || text.trim() === '') throw invalid('The text is empty: type a text to speak')
  if (text.length > MAX_INTEGRATION_CHARACTERS) {
    throw invalid(`The text is longer than ${MAX_INTEGRATION_CHARACTERS} characters`)
  }
  if (typeof voice !== 'string' || voice === '') throw invalid('The voice is missing: choose a voice')
  return { text, voice }
}

function fieldsOf(body: unknown): Readonly<Record<string, unknown>> {
  return typeof body === 'object' && body !== null ? { ...body } : {}
}

function invalid(message: string): HttpError {
  return new HttpError(400, 'invalid_request', message)
}
