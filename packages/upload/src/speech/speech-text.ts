import { ConfigurationError } from '@svc-audio/core'
import { AudioGatewayError } from '../audio-gateway-error.ts'

/** The parts of a request that may hold the text to speak. */
export interface TextSources {
  /** The parsed body. */
  readonly body: unknown
  /** `text` of the query. */
  readonly query: unknown
}

/**
 * The text that a request sends: `text` of its JSON body, else of its query.
 * @param hint For the developer of the app, e.g. about a missing body parser. It goes to the log, not to the caller.
 * @throws AudioGatewayError 400 `missing_text`, which says how to send it
 */
export function requestText({ body, query }: TextSources, hint?: string): string {
  const fromBody: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'text') : undefined
  const text = fromBody ?? query
  if (isText(text)) return text
  throw missingText('Send `text`, a non-empty string, in a JSON body or in the query', hint)
}

/**
 * Checks the text that a function of the app read from the request.
 * @throws AudioGatewayError 400 `missing_text`
 */
export function assertText(text: unknown): string {
  if (isText(text)) return text
  throw missingText('Send the text to speak, a non-empty string')
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

function missingText(message: string, hint?: string): AudioGatewayError {
  const cause = hint === undefined ? undefined : new ConfigurationError(hint)
  return new AudioGatewayError({ status: 400, code: 'missing_text', message }, cause)
}
