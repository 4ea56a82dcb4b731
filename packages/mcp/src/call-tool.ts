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
  type ToolCallContext,
  toSpeechToolError,
} from '@svc-audio/agent-tools'
import { type AudioResources, referenceOf } from './audio-resources.ts'
import { jsonSchema, OUTPUT_SCHEMAS } from './output-schemas.ts'
import { describePlay, play, PLAY } from './play-tool.ts'
import { presentAudio } from './present-audio.ts'
import { type Extra, runContext } from './request-scope.ts'
import type { ServerContext } from './server-context.ts'

/** The chosen tools for `tools/list`. */
export function describeTools(context: ServerContext): Tool[] {
  const tools = chosenTools(context.created).map(({ tool, name, title, description, schema, readOnly }) => ({
    name,
    title,
    description,
    inputSchema: jsonSchema(schema),
    outputSchema: OUTPUT_SCHEMAS.get(tool),
    // No tool deletes or overwrites anything; those that are not read-only cost money.
    annotations: { readOnlyHint: readOnly, destructiveHint: false, idempotentHint: readOnly, openWorldHint: !readOnly },
  }))
  return context.player === undefined ? tools : [...tools, describePlay(context)]
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
  context: ServerContext,
  resources: AudioResources,
  { name, arguments: given = {} }: CallToolRequest['params'],
  extra: Extra,
): Promise<CallToolResult> {
  const { created, player, onFailure } = context
  const operation = chosenTools(created).find((tool) => tool.name === name)
  const playing = name === PLAY ? player : undefined
  if (operation === undefined && playing === undefined) {
    throw new McpError(ErrorCode.InvalidParams, 'There is no tool of this name')
  }
  try {
    const named = withReferences(given)
    if (operation !== undefined) return await runOperation(operation, named, context, resources, extra)
    if (playing !== undefined) return await play(named, playing, context, extra)
    return { content: [] }
  } catch (error) {
    extra.signal.throwIfAborted()
    const failure = toSpeechToolError(error)
    onFailure?.({ tool: name, error: failure })
    return {
      isError: true,
      content: [{ type: 'text', text: failure.message }],
      structuredContent: { ...describeFailure(failure) },
    }
  }
}

async function runOperation(
  operation: SpeechOperation,
  given: Record<string, unknown>,
  context: ServerContext,
  resources: AudioResources,
  extra: Extra,
): Promise<CallToolResult> {
  const args = operation.schema.safeParse(given)
  if (!args.success) throw invalidArguments(operation, args.error)
  const call: ToolCallContext = {
    signal: extra.signal,
    context: runContext(extra),
    run: extra.sessionId ?? context.client,
    roots: () => context.roots(extra.signal),
    onProgress: progressOf(extra),
  }
  const { content, artifact } = await operation.run(args.data, call)
  const links = resources.note(artifact)
  const id: unknown = Reflect.get(artifact, 'type') === 'audio' ? Reflect.get(artifact, 'id') : undefined
  const audio = typeof id === 'string' ? await presentAudio(id, context, context.created.accessOf(call)) : undefined
  const text = [content, ...(audio?.lines ?? [])].join('\n')
  const path = audio?.path === undefined ? {} : { path: audio.path }
  return {
    content: [{ type: 'text', text }, ...(audio?.blocks ?? []), ...links],
    structuredContent: { ...artifact, ...path },
  }
}

/** The arguments with references in place of the URIs of resources. */
function withReferences(given: Record<string, unknown>): Record<string, unknown> {
  const named = { ...given }
  for (const name of ['audio', 'reference']) {
    const value = named[name]
    if (typeof value === 'string') named[name] = referenceOf(value) ?? value
  }
  return named
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
