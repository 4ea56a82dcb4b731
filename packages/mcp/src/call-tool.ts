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
  SPEECH_TOOLS,
  type SpeechOperation,
  type SpeechToolName,
  type SpeechToolProgress,
  type ToolCallContext,
  toSpeechToolError,
} from '@svc-audio/agent-tools'
import { z } from 'zod'
import { type AudioResources, presentAudio, referenceOf } from './audio-resources.ts'
import { describePlay, play, PLAY } from './play-tool.ts'
import { type Extra, runContext, type ServerContext } from './server-context.ts'

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

const spent = z
  .object({
    unit: z.enum(['characters', 'audioSeconds']),
    call: z.number(),
    run: z.number(),
    day: z.number().optional(),
  })
  .describe('What the call has spent, and its session so far.')

const source = z
  .object({
    type: z.enum(['reference', 'url', 'path']),
    id: z.string().optional(),
    url: z.string().optional(),
    path: z.string().optional(),
  })
  .describe('Where the audio came from.')

const requestId = z.string().optional().describe('Names the request to the operators of the service.')

const SPEECH = z.object({
  type: z.literal('audio'),
  id: z.string().describe('The reference of the audio.'),
  url: z.string().optional(),
  path: z.string().optional().describe('The path of the file on the machine of the server.'),
  contentType: z.string(),
  durationSeconds: z.number().optional(),
  bytes: z.number(),
  spent,
  requestId,
})

const segment = z.looseObject({ start: z.number(), end: z.number(), speaker: z.string(), text: z.string() })

const TRANSCRIPT = z.object({
  type: z.literal('transcript'),
  id: z.string().describe('The reference of the transcript.'),
  text: z.string(),
  truncated: z.boolean().describe('Whether the text is only the beginning.'),
  source,
  spent,
  durationSeconds: z.number().optional(),
  segments: z.array(segment).optional(),
  requestId,
})

const TASK = z.object({
  type: z.literal('transcription_task'),
  taskId: z.string(),
  status: z.string(),
  source,
  spent,
  requestId,
})

const PART = z.object({
  type: z.literal('transcript_part'),
  id: z.string(),
  from: z.number(),
  to: z.number(),
  totalCharacters: z.number(),
})

const voice = z.looseObject({
  name: z.string(),
  voice_id: z.string(),
  language: z.string().optional(),
  description: z.string().optional(),
})

const VOICES = z.object({ type: z.literal('voices'), voices: z.array(voice) })

/** The structured content of a failed call. A client checks it against the same schema. */
const FAILURE = z.object({
  code: z.string(),
  retryable: z.boolean(),
  retryAfterSeconds: z.number().optional(),
  requestId,
  spent: spent.optional(),
})

/** What each tool answers, as structured content. */
const ARTIFACTS: Readonly<Record<SpeechToolName, readonly z.ZodObject[]>> = {
  speak: [SPEECH],
  speak_dialogue: [SPEECH],
  design_voice: [SPEECH],
  transcribe: [TRANSCRIPT],
  start_transcription: [TRANSCRIPT, TASK],
  get_transcription: [TRANSCRIPT, TASK],
  read_transcript: [PART],
  list_voices: [VOICES],
  clone_voice: [VOICES],
}

/** JSON Schema of an object, without what says nothing. */
function jsonSchema(schema: z.ZodObject): Tool['inputSchema'] {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' })
  const json: object = rest
  return { ...json, type: 'object' }
}

/** The schema of a tool's structured content, by the name of its operation. */
const OUTPUT_SCHEMAS: ReadonlyMap<SpeechToolName, NonNullable<Tool['outputSchema']>> = new Map(
  SPEECH_TOOLS.map((tool) => [
    tool,
    { type: 'object', anyOf: [...ARTIFACTS[tool], FAILURE].map((schema) => jsonSchema(schema)) },
  ]),
)
