import type { ToolCallContext } from '@svc-audio/agent-tools'

/** The options of `execute` that are used, in any version of the AI SDK. */
interface ExecuteOptions {
  readonly abortSignal?: AbortSignal | undefined
  readonly messages: readonly object[]
}

/**
 * Converts the options of `execute` for operations.
 * @param bound The context of the run. Without it, the context is that of `toolsContext`, before AI SDK 7 that of
 *   `experimental_context`.
 */
export function callContext(options: ExecuteOptions, bound: unknown): ToolCallContext {
  const { abortSignal: signal, messages } = options
  const context: unknown = bound ?? Reflect.get(options, 'context') ?? Reflect.get(options, 'experimental_context')
  return { signal, context, run: runOf(messages) }
}

/** The run: one `generateText` or `streamText`. It has no id, but every step of it passes the same last user message. */
function runOf(messages: readonly object[]): object | undefined {
  return messages.findLast((message) => 'role' in message && message.role === 'user')
}
