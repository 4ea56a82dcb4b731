import {
  type CallToolRequest,
  type CallToolResult,
  ErrorCode,
  McpError,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js'
import {
  type CreatedOperations,
  describeFailure,
  invalidArguments,
  type SpeechOperation,
  type SpeechToolProgress,
  toSpeechToolError,
} from '@svc-audio/agent-tools'
import { z } from 'zod'
import type { AudioResources } from './audio-resources.ts'
import { type Extra, runContext } from './request-scope.ts'

/** The chosen tools for `tools/list`. */
export function describeTools(created: CreatedOperations): Tool[] {
  return chosenTools(created).map(({ name, title, description, schema, readOnly }) => ({
    name,
    title,
    description,
    inputSchema: inputSchema(schema),
    // No tool deletes or overwrites anything; those that are not read-only cost money.
    annotations: { readOnlyHint: readOnly, destructiveHint: false, idempotentHint: readOnly, openWorldHint: !readOnly },
  }))
}

function inputSchema(schema: z.ZodObject): Tool['inputSchema'] {
  const json: object = z.toJSONSchema(schema, { io: 'input' })
  return { ...json, type: 'object' }
}

function chosenTools({ operations, chosen }: CreatedOperations): readonly SpeechOperation[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- arguments are parsed by the operation's own schema before it runs
  return chosen.map((tool) => operations[tool] as unknown as SpeechOperation)
}

/**
 * Runs a tool. A failure is a result with `isError`, one sentence for the model, and the code as structured content.
 * @throws McpError for a tool that does not exist, and the signal's reason after a cancellation
 */
export async function callTool(
  created: CreatedOperations,
  resources: AudioResources,
  { name, arguments: given = {} }: CallToolRequest['params'],
  extra: Extra,
): Promise<CallToolResult> {
  const operation = chosenTools(created).find((tool) => tool.name === name)
  if (operation === undefined) throw new McpError(ErrorCode.InvalidParams, 'There is no tool of this name')
  try {
    const args = operation.schema.safeParse(given)
    if (!args.success) throw invalidArguments(operation, args.error)
    const { content, artifact } = await operation.run(args.data, {
      signal: extra.signal,
      context: runContext(extra),
      run: extra.sessionId,
      onProgress: progressOf(extra),
    })
    const links = resources.note(artifact, extra)
    return { content: [{ type: 'text', text: content }, ...links], structuredContent: { ...artifact } }
  } catch (error) {
    extra.signal.throwIfAborted()
    const failure = toSpeechToolError(error)
    return {
      isError: true,
      content: [{ type: 'text', text: failure.message }],
      structuredContent: { ...describeFailure(failure) },
    }
  }
}

/** Reports bytes if the client sent a progress token. MCP requires growing values. */
function progressOf({ _meta, sendNotification }: Extra): ((progress: SpeechToolProgress) => void) | undefined {
  const progressToken = _meta?.progressToken
  if (progressToken === undefined) return undefined
  let sent = 0
  return ({ phase, bytes, totalBytes }) => {
    if (bytes <= sent) return
    sent = bytes
    const total = totalBytes === undefined ? {} : { total: totalBytes }
    const params = { progressToken, progress: bytes, ...total, message: `${phase} audio` }
    // The client may have closed.
    sendNotification({ method: 'notifications/progress', params }).catch(() => {})
  }
}
