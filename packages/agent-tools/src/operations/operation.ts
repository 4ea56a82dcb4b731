import type { z } from 'zod'
import { SpeechToolError } from '../errors/speech-tool-error.ts'
import { toSpeechToolError } from '../errors/to-speech-tool-error.ts'
import type { ResolvedOptions, SpeechToolName } from '../options/speech-tools-options.ts'
import { type RunScope, scopeOf, type ToolCallContext } from '../run/run-context.ts'

/** What a call gives: short text for the model, plain JSON for the application. */
export interface OperationResult<Artifact = object> {
  readonly content: string
  readonly artifact: Artifact
}

/** A tool without a framework: what a model reads of it, and what it does. */
export interface SpeechOperation<Schema extends z.ZodObject = z.ZodObject, Artifact = object> {
  /** Which tool it is, whatever its name. */
  readonly tool: SpeechToolName
  /** The name for the model. */
  readonly name: string
  /** The name for people. */
  readonly title: string
  readonly description: string
  readonly schema: Schema
  /** What to tell a model whose arguments do not fit the schema. */
  readonly usage: string
  /** Whether it only reads, so that calling it again changes and costs nothing. */
  readonly readOnly: boolean
  /**
   * @param args Checked against the schema.
   * @throws SpeechToolError, or the signal's reason after an abort
   */
  run(args: z.output<Schema>, context?: ToolCallContext): Promise<OperationResult<Artifact>>
}

/** What makes an operation. */
export interface OperationDefinition<Schema extends z.ZodObject, Artifact> extends Omit<
  SpeechOperation<Schema, Artifact>,
  'name' | 'run'
> {
  run(args: z.output<Schema>, scope: RunScope): Promise<OperationResult<Artifact>>
}

/** Gives an operation its name, its errors and its rule for aborts. */
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
      try {
        signal?.throwIfAborted()
        return await definition.run(args, scopeOf(name, options, context))
      } catch (error) {
        // Whatever an abort made fail, the abort is the reason.
        signal?.throwIfAborted()
        throw toSpeechToolError(error)
      }
    },
  }
}

/** Arguments that do not fit the schema, as a failure that tells the model what to give. */
export function invalidArguments({ usage }: Pick<SpeechOperation, 'usage'>, cause?: unknown): SpeechToolError {
  return new SpeechToolError('invalid_arguments', usage, { cause })
}
