import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js'
import { describeFailure, SPEECH_TOOLS, type SpeechToolError, type SpeechToolName } from '@svc-audio/agent-tools'
import { z } from 'zod'

/**
 * A result in both forms. Some clients show their model the text only, others the structured content only. So both have
 * every word that the model must read, with the lines that call a transcript data.
 */
export function resultOf(
  text: string,
  artifact: object,
): Pick<CallToolResult, 'content'> & {
  readonly structuredContent: Record<string, unknown>
} {
  const structured = Reflect.get(artifact, 'type') === 'transcript' ? withoutSegments(artifact) : artifact
  return { content: [{ type: 'text', text }], structuredContent: { ...structured, text } }
}

/** Segments have the words a second time, and nothing around them that calls them data. */
function withoutSegments(artifact: object): object {
  const { segments: _, ...rest }: { segments?: unknown } = artifact
  return rest
}

/** A failure in both forms: the sentence for the model, and the code for programs. */
export function failureOf(failure: SpeechToolError): CallToolResult {
  const { message } = failure
  return {
    isError: true,
    content: [{ type: 'text', text: message }],
    structuredContent: { message, ...describeFailure(failure) },
  }
}

const text = z.string().describe('What the model reads: the same as the text of the result.')

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
  text,
  id: z.string().describe('The reference of the audio.'),
  url: z.string().optional(),
  path: z.string().optional().describe('The path of the file on the machine of the server.'),
  contentType: z.string(),
  durationSeconds: z.number().optional(),
  bytes: z.number(),
  spent,
  requestId,
})

const TRANSCRIPT = z.object({
  type: z.literal('transcript'),
  text,
  id: z.string().describe('The reference of the transcript.'),
  truncated: z.boolean().describe('Whether the text is only the beginning.'),
  source,
  spent,
  durationSeconds: z.number().optional(),
  requestId,
})

const TASK = z.object({
  type: z.literal('transcription_task'),
  text,
  taskId: z.string(),
  status: z.string(),
  source,
  spent,
  requestId,
})

const PART = z.object({
  type: z.literal('transcript_part'),
  text,
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

const VOICES = z.object({ type: z.literal('voices'), text, voices: z.array(voice) })

/** The structured content of a failed call. A client checks it against the same schema. */
const FAILURE = z.object({
  message: z.string().describe('What the model reads: why it failed, and what to do.'),
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
  transcribe: [TRANSCRIPT, TASK],
  start_transcription: [TRANSCRIPT, TASK],
  get_transcription: [TRANSCRIPT, TASK],
  read_transcript: [PART],
  list_voices: [VOICES],
  clone_voice: [VOICES],
}

/** JSON Schema of an object, without what says nothing. */
export function jsonSchema(schema: z.ZodObject): Tool['inputSchema'] {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' })
  const json: object = rest
  return { ...json, type: 'object' }
}

/** A client checks failures against the schema of a result too. */
function outputSchema(...results: readonly z.ZodObject[]): NonNullable<Tool['outputSchema']> {
  return { type: 'object', anyOf: [...results, FAILURE].map((schema) => jsonSchema(schema)) }
}

/** The schema of a tool's structured content, by the name of its operation. */
export const OUTPUT_SCHEMAS: ReadonlyMap<SpeechToolName, NonNullable<Tool['outputSchema']>> = new Map(
  SPEECH_TOOLS.map((tool) => [tool, outputSchema(...ARTIFACTS[tool])]),
)

/** The schema of the structured content of `play`. */
export const PLAY_OUTPUT: NonNullable<Tool['outputSchema']> = outputSchema(z.object({ text, played: z.string() }))
