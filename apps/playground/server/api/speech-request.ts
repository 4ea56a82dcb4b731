import { SPEED_MAX, SPEED_MIN } from '@svc-audio/core'
import type { SpeakRequest } from '../../shared/api.ts'
import { HttpError } from '../http/http-error.ts'

/**
 * Reads a request's body.
 * @param maxCharacters Longest text.
 * @throws HttpError 400 with the wrong field
 */
export function readSpeechRequest(body: unknown, maxCharacters: number): Required<SpeakRequest> {
  const { text, voice, speed = 1 } = fieldsOf(body)
  if (typeof text !== 'string' || text.trim() === '') throw invalid('The text is empty: type a text to speak')
  if (text.length > maxCharacters) throw invalid(`The text is longer than ${maxCharacters} characters`)
  if (typeof voice !== 'string' || voice === '') throw invalid('The voice is missing: choose a voice')
  if (typeof speed !== 'number' || !(speed >= SPEED_MIN && speed <= SPEED_MAX)) {
    throw invalid(`The speed must be from ${SPEED_MIN} to ${SPEED_MAX}`)
  }
  return { text, voice, speed }
}

function fieldsOf(body: unknown): Readonly<Record<string, unknown>> {
  return typeof body === 'object' && body !== null ? { ...body } : {}
}

function invalid(message: string): HttpError {
  return new HttpError(400, 'invalid_request', message)
}
