import { requestText } from '@svc-audio/upload'
import type { Request } from 'express'

/**
 * The text that a request sends: `text` of its JSON body, else of its query.
 * @throws AudioGatewayError 400 `missing_text`, which says how to send it. Its cause says that no parser has read the body
 */
export function textOf(request: Request): string {
  const body: unknown = request.body
  const isUnread = body === undefined && request.headers['content-type'] !== undefined
  const hint = isUnread ? 'No body parser has read the body: add express.json() to the route' : undefined
  return requestText({ body, query: request.query['text'] }, hint)
}
