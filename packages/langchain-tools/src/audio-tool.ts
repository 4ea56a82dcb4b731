import { ToolMessage } from '@langchain/core/messages'
import {
  StructuredTool,
  type StructuredToolCallInput,
  type StructuredToolInterface,
  ToolInputParsingException,
  type ToolReturnType,
  type ToolRunnableConfig,
} from '@langchain/core/tools'
import type { z } from 'zod'
import type { SpeechToolFailure } from './artifacts.ts'
import { SpeechToolError } from './errors/speech-tool-error.ts'
import { toSpeechToolError } from './errors/to-speech-tool-error.ts'

/** A tool of this package as agents and callers see it: called by a model it gives a `ToolMessage`, else its content. */
export type SpeechTool<Schema extends z.ZodObject> = StructuredToolInterface<Schema, z.input<Schema>, string>

/** What the framework takes apart into the content and the artifact of a tool message. */
export type ContentAndArtifact<Artifact> = [content: string, artifact: Artifact]

/** What makes an {@link AudioTool}. */
export interface AudioToolOptions<Schema extends z.ZodObject, Artifact> {
  readonly name: string
  readonly description: string
  readonly schema: Schema
  /** What to tell a model whose arguments do not fit the schema. */
  readonly usage: string
  run(args: z.output<Schema>, signal: AbortSignal | undefined): Promise<ContentAndArtifact<Artifact>>
}

/**
 * A tool whose failures are messages. Tracing hears of a failure as an error; the model gets a tool message with
 * `status: 'error'`, one sentence and no stack; an abort is rethrown as it is.
 */
export class AudioTool<Schema extends z.ZodObject, Artifact> extends StructuredTool<
  Schema,
  z.output<Schema>,
  z.input<Schema>,
  string
> {
  readonly name: string
  readonly description: string
  readonly schema: Schema
  override readonly responseFormat = 'content_and_artifact'
  readonly #options: AudioToolOptions<Schema, Artifact>

  constructor(options: AudioToolOptions<Schema, Artifact>) {
    // Nothing is handed to the base class: it would show up in traces.
    super()
    this.name = options.name
    this.description = options.description
    this.schema = options.schema
    this.#options = options
  }

  override async invoke<
    TInput extends StructuredToolCallInput<Schema, z.input<Schema>>,
    TConfig extends ToolRunnableConfig | undefined,
  >(input: TInput, config?: TConfig): Promise<ToolReturnType<TInput, TConfig, string>> {
    try {
      return await super.invoke(input, config)
    } catch (error) {
      const failure = this.#failure(error)
      const id = toolCallId(input) ?? config?.toolCall?.id
      if (failure === undefined || id === undefined) throw failure ?? error
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a call with an id is answered by a ToolMessage
      return this.#message(failure, id) as ToolReturnType<TInput, TConfig, string>
    }
  }

  protected override async _call(
    args: z.output<Schema>,
    _manager?: unknown,
    config?: ToolRunnableConfig,
  ): Promise<string> {
    const signal = config?.signal
    try {
      signal?.throwIfAborted()
      const pair: unknown = await this.#options.run(args, signal)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the base class takes the pair apart; a caller gets the content
      return pair as string
    } catch (error) {
      // Whatever an abort made fail, the abort is the reason.
      signal?.throwIfAborted()
      throw toSpeechToolError(error)
    }
  }

  #failure(error: unknown): SpeechToolError | undefined {
    if (error instanceof SpeechToolError) return error
    if (!(error instanceof ToolInputParsingException)) return undefined
    return new SpeechToolError('invalid_arguments', this.#options.usage, { cause: error })
  }

  #message({ code, retryable, message }: SpeechToolError, id: string): ToolMessage {
    const artifact: SpeechToolFailure = { code, retryable }
    return new ToolMessage({ status: 'error', content: message, artifact, tool_call_id: id, name: this.name })
  }
}

function toolCallId(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || !('type' in input) || input.type !== 'tool_call') return undefined
  return 'id' in input && typeof input.id === 'string' ? input.id : undefined
}
