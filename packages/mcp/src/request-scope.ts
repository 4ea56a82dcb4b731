import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js'
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import type { ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js'

/** What the SDK passes to a handler. */
export type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>

/** What `forRun` and stores of your own get as the run's context. */
export interface McpRunContext {
  /** The MCP session, over HTTP. */
  readonly sessionId: string | undefined
  /** What the transport's authentication found out about the caller. */
  readonly authInfo: AuthInfo | undefined
}

/** The run's context of a request. */
export function runContext({ sessionId, authInfo }: Pick<Extra, 'sessionId' | 'authInfo'>): McpRunContext {
  return { sessionId, authInfo }
}
