import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import { SPEECH_TOOLS, type SpeechToolName } from '@svc-audio/agent-tools'
import { z } from 'zod'

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
export function jsonSchema(schema: z.ZodObject): Tool['inputSchema'] {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' })
  const json: object = rest
  return { ...json, type: 'object' }
}

/** The schema of a tool's structured content, by the name of its operation. */
export const OUTPUT_SCHEMAS: ReadonlyMap<SpeechToolName, NonNullable<Tool['outputSchema']>> = new Map(
  SPEECH_TOOLS.map((tool) => [
    tool,
    { type: 'object', anyOf: [...ARTIFACTS[tool], FAILURE].map((schema) => jsonSchema(schema)) },
  ]),
)
