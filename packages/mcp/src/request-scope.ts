import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import type { ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js'
import type { McpRunContext } from './create-speech-server.ts'

/** What the SDK passes to a handler. */
export type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>

/** The run's context of a request. */
export function runContext({ sessionId, authInfo }: Pick<Extra, 'sessionId' | 'authInfo'>): McpRunContext {
  return { sessionId, authInfo }
}
