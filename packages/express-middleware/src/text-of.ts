import { AudioGatewayError } from '@svc-audio/upload'
import type { Request } from 'express'

/**
 * The text that a request sends: `text` of its JSON body, else of its query.
 * @throws AudioGatewayError 400 `missing_text`, which says how to send it
 */
export function textOf(request: Request): string {
  const body: unknown = request.body
  const fromBody: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'text') : undefined
  const text = fromBody ?? request.query['text']
  if (isText(text)) return text
  const isUnread = body === undefined && request.headers['content-type'] !== undefined
  const hint = isUnread ? '. No body parser has read the body: add express.json() to the route' : ''
  const message = `Send \`text\`, a non-empty string, in a JSON body or in the query${hint}`
  throw missingText(message)
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

function missingText(message: string): AudioGatewayError {
  return new AudioGatewayError({ status: 400, code: 'missing_text', message })
}
