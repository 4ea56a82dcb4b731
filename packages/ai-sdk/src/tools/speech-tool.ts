import type { SpeechOperation, SpeechOperations } from '@svc-audio/agent-tools'
import { type Tool, tool } from 'ai'
import type { z } from 'zod'
import { callContext } from './call-context.ts'

/** Result of a tool: short text for the model, plain JSON for the application. */
export interface SpeechToolOutput<Artifact> {
  /** What the model reads. */
  readonly content: string
  /** What the application reads: references, lengths and whole texts. */
  readonly artifact: Artifact
}

/** A speech operation as a tool of the AI SDK. */
export type SpeechTool<Schema extends z.ZodObject = z.ZodObject, Artifact = object> = Tool<
  z.output<Schema>,
  SpeechToolOutput<Artifact>
>

/** The tool of an operation, by the operation's name. */
export type ToolOf<Name extends keyof SpeechOperations> =
  SpeechOperations[Name] extends SpeechOperation<infer Schema, infer Artifact> ? SpeechTool<Schema, Artifact> : never

/**
 * Converts an operation. The model reads the `content` of a result, or the message of a `SpeechToolError`. The
 * application finds both in the steps of its run.
 *
 * @param context The run's context. @default that of the call
 */
export function speechTool<Schema extends z.ZodObject, Artifact>(
  operation: SpeechOperation<Schema, Artifact>,
  context?: unknown,
): SpeechTool<Schema, Artifact> {
  const { description, schema } = operation
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a schema is a schema of its own output
  const inputSchema = schema as unknown as z.ZodType<z.output<Schema>>
  return tool<z.output<Schema>, SpeechToolOutput<Artifact>, Record<string, unknown>>({
    description,
    inputSchema,
    execute: (args, options) => operation.run(args, callContext(options, context)),
    toModelOutput: (given) => ({ type: 'text', value: contentOf(given) }),
  })
}

/** AI SDK 5 passes the output itself, later versions an object with it. */
function contentOf(given: object): string {
  const output: unknown = 'output' in given ? given.output : given
  const content: unknown = typeof output === 'object' && output !== null ? Reflect.get(output, 'content') : undefined
  return String(content)
}
