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
  return { signal, context, run: runOf(messages), userTexts: () => messages.flatMap(userTextsIn) }
}

/** The texts of a message, if the user wrote it. */
function userTextsIn(message: object): string[] {
  if (Reflect.get(message, 'role') !== 'user') return []
  const content: unknown = Reflect.get(message, 'content')
  if (typeof content === 'string') return [content]
  if (!Array.isArray(content)) return []
  return content.flatMap((part: unknown) => {
    const text: unknown = typeof part === 'object' && part !== null ? Reflect.get(part, 'text') : undefined
    return typeof text === 'string' ? [text] : []
  })
}

/** The run: one `generateText` or `streamText`. It has no id, but every step of it passes the same last user message. */
function runOf(messages: readonly object[]): object | undefined {
  return messages.findLast((message) => 'role' in message && message.role === 'user')
}
