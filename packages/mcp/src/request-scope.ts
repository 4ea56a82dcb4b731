import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js'
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import type { ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js'

/** Second argument of the SDK's handlers. */
export type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>

/** Context of a run, for `forRun` and for your own stores. */
export interface McpRunContext {
  /** The MCP session, over HTTP. */
  readonly sessionId: string | undefined
  /** Result of the transport's authentication. */
  readonly authInfo: AuthInfo | undefined
}

/** The run's context of a request. */
export function runContext({ sessionId, authInfo }: Pick<Extra, 'sessionId' | 'authInfo'>): McpRunContext {
  return { sessionId, authInfo }
}
