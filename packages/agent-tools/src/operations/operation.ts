import type { z } from 'zod'
import { SpeechToolError } from '../errors/speech-tool-error.ts'
import { toSpeechToolError } from '../errors/to-speech-tool-error.ts'
import type { ResolvedOptions, SpeechToolName } from '../options/speech-tools-options.ts'
import { type RunScope, scopeOf, type ToolCallContext } from '../run/run-context.ts'

/** Result of a call: short text for the model, plain JSON for the application. */
export interface OperationResult<Artifact = object> {
  /** What the model reads: short text, without the audio itself. */
  readonly content: string
  /** What the application reads, as plain JSON. */
  readonly artifact: Artifact
}

/** A tool without a framework: its description for the model, and its work. */
export interface SpeechOperation<Schema extends z.ZodObject = z.ZodObject, Artifact = object> {
  /** The tool. Its `name` may differ. */
  readonly tool: SpeechToolName
  /** The name for the model. */
  readonly name: string
  /** The name for people. */
  readonly title: string
  /** What the tool does and when to call it, for the model. */
  readonly description: string
  /** The arguments, each with a description for the model. */
  readonly schema: Schema
  /** Instruction for a model whose arguments do not fit the schema. */
  readonly usage: string
  /** Whether it only reads, so that calling it again changes and costs nothing. */
  readonly readOnly: boolean
  /**
   * @param args Checked against the schema.
   * @throws SpeechToolError, or the signal's reason after an abort
   */
  run(args: z.output<Schema>, context?: ToolCallContext): Promise<OperationResult<Artifact>>
}

/** Parts of an operation. */
export interface OperationDefinition<Schema extends z.ZodObject, Artifact> extends Omit<
  SpeechOperation<Schema, Artifact>,
  'name' | 'run'
> {
  run(args: z.output<Schema>, scope: RunScope): Promise<OperationResult<Artifact>>
}

/** Adds the name, the conversion of errors and the rule for aborts. */
export function defineOperation<Schema extends z.ZodObject, Artifact>(
  options: ResolvedOptions,
  definition: OperationDefinition<Schema, Artifact>,
): SpeechOperation<Schema, Artifact> {
  const name = options.names[definition.tool]
  return {
    ...definition,
    name,
    async run(args, context = {}) {
      const { signal } = context
      let scope: RunScope | undefined
      try {
        signal?.throwIfAborted()
        scope = scopeOf(name, options, context)
        return await definition.run(args, scope)
      } catch (error) {
        // After an abort, the reason of the abort replaces any error.
        signal?.throwIfAborted()
        throw withSpent(toSpeechToolError(error), scope)
      }
    },
  }
}

/** The error with what the call may be billed for. */
function withSpent(error: SpeechToolError, scope: RunScope | undefined): SpeechToolError {
  const spent = scope?.spending.spent
  if (spent === undefined || spent.call <= 0) return error
  const { code, message, cause, retryable, retryAfterSeconds, requestId } = error
  return new SpeechToolError(code, message, { cause, retryable, retryAfterSeconds, requestId, spent })
}

/** Error for arguments that do not fit the schema, with the correct usage for the model. */
export function invalidArguments({ usage }: Pick<SpeechOperation, 'usage'>, cause?: unknown): SpeechToolError {
  return new SpeechToolError('invalid_arguments', usage, { cause })
}
