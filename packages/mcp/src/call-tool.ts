import {
  type CallToolRequest,
  type CallToolResult,
  ErrorCode,
  McpError,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js'
import {
  type CreatedOperations,
  invalidArguments,
  type SpeechOperation,
  type ToolCallContext,
  toSpeechToolError,
} from '@svc-audio/agent-tools'
import { type AudioResources, presentAudio, referenceOf } from './audio-resources.ts'
import { CallProgress } from './call-progress.ts'
import { describePlay, play, PLAY } from './play-tool.ts'
import { type Extra, runContext, type ServerContext } from './server-context.ts'
import { failureOf, jsonSchema, OUTPUT_SCHEMAS, resultOf } from './structured-content.ts'

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
 * Runs a tool. A failure is a result with `isError` and one sentence for the model, also in the structured content. A
 * client that asks for progress hears of it every few seconds, so that its limit of a call does not end the work.
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
  const progress = new CallProgress(extra)
  try {
    const named = withReferences(given)
    if (operation !== undefined) return await runOperation(operation, named, { context, resources, extra, progress })
    if (playing !== undefined) return await play(named, playing, context, extra)
    return { content: [] }
  } catch (error) {
    extra.signal.throwIfAborted()
    const failure = toSpeechToolError(error)
    onFailure?.({ tool: name, error: failure })
    return failureOf(failure)
  } finally {
    progress.end()
  }
}

/** One call. */
interface Call {
  readonly context: ServerContext
  readonly resources: AudioResources
  readonly extra: Extra
  readonly progress: CallProgress
}

async function runOperation(
  operation: SpeechOperation,
  given: Record<string, unknown>,
  { context, resources, extra, progress }: Call,
): Promise<CallToolResult> {
  const args = operation.schema.safeParse(given)
  if (!args.success) throw invalidArguments(operation, args.error)
  const call: ToolCallContext = {
    signal: extra.signal,
    context: runContext(extra),
    run: extra.sessionId ?? context.client,
    roots: () => context.roots(extra.signal),
    onProgress: (report) => progress.report(report),
  }
  const { content, artifact } = await operation.run(args.data, call)
  const links = resources.note(artifact)
  const id: unknown = Reflect.get(artifact, 'type') === 'audio' ? Reflect.get(artifact, 'id') : undefined
  const audio = typeof id === 'string' ? await presentAudio(id, context, context.created.accessOf(call)) : undefined
  const text = [content, ...(audio?.lines ?? [])].join('\n')
  const path = audio?.path === undefined ? {} : { path: audio.path }
  const result = resultOf(text, { ...artifact, ...path })
  return { ...result, content: [...result.content, ...(audio?.blocks ?? []), ...links] }
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
