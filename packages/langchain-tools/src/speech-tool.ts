import type { CallbackManagerForToolRun } from '@langchain/core/callbacks/manager'
import { ToolMessage } from '@langchain/core/messages'
import {
  DynamicStructuredTool,
  type StructuredToolCallInput,
  ToolInputParsingException,
  type ToolReturnType,
  type ToolRunnableConfig,
} from '@langchain/core/tools'
import {
  describeFailure,
  invalidArguments,
  type SpeechOperation,
  SpeechToolError,
  type SpeechToolProgress,
  type ToolCallContext,
  toSpeechToolError,
} from '@svc-audio/agent-tools'
import { mayRepeat } from '@svc-audio/core'
import type { z } from 'zod'
import { runOf, userTextsOf } from './run-of.ts'

/** Handling of a failed call of an agent. */
export type OnFailure = 'message' | 'throw-retryable'

/**
 * A speech operation as a LangChain tool. Called by a model it gives a `ToolMessage`: the content is for the model, the
 * artifact for the application. A failure is a `ToolMessage` with `status: 'error'`; tracing sees it as an error. An
 * abort is rethrown.
 */
export class SpeechTool<Schema extends z.ZodObject = z.ZodObject> extends DynamicStructuredTool<
  Schema,
  z.output<Schema>,
  z.input<Schema>,
  string
> {
  // A private name: tracers print the properties of a tool, and the operation holds the client.
  readonly #operation: SpeechOperation<Schema>
  readonly #onFailure: OnFailure

  constructor(operation: SpeechOperation<Schema>, onFailure: OnFailure) {
    super({
      name: operation.name,
      description: operation.description,
      schema: operation.schema,
      responseFormat: 'content_and_artifact',
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the base class takes the pair apart; a caller gets the content
      func: (args, run, config) => runOperation(operation, args, run, config) as unknown as Promise<string>,
    })
    this.#operation = operation
    this.#onFailure = onFailure
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
      // Retry middleware acts on thrown errors, never on messages.
      if (this.#onFailure === 'throw-retryable' && mayRepeat(failure.cause)) throw failure
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a call with an id is answered by a ToolMessage
      return failureMessage(failure, this.name, id) as ToolReturnType<TInput, TConfig, string>
    }
  }

  #failure(error: unknown): SpeechToolError | undefined {
    if (SpeechToolError.isInstance(error)) return error
    return error instanceof ToolInputParsingException ? invalidArguments(this.#operation, error) : undefined
  }
}

async function runOperation<Schema extends z.ZodObject>(
  operation: SpeechOperation<Schema>,
  args: z.output<Schema>,
  run: ToolRun | undefined,
  config: ToolRunnableConfig | undefined,
): Promise<[content: string, artifact: object]> {
  const { content, artifact } = await operation.run(args, callContext(run, config))
  return [content, artifact]
}

/**
 * A failed call as the message that an agent gets: one sentence for the model, the code for the application.
 * @param error Anything that a speech tool throws.
 */
export function failureMessage(error: unknown, name: string, callId: string): ToolMessage {
  const failure = toSpeechToolError(error)
  return new ToolMessage({
    status: 'error',
    content: failure.message,
    artifact: describeFailure(failure),
    tool_call_id: callId,
    name,
  })
}

function toolCallId(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || !('type' in input) || input.type !== 'tool_call') return undefined
  return 'id' in input && typeof input.id === 'string' ? input.id : undefined
}

/** The part of a tool's run manager that is used. */
type ToolRun = Pick<CallbackManagerForToolRun, 'handleCustomEvent'>

/** Name of the custom event in `streamEvents` that carries the progress of a call. */
export const PROGRESS_EVENT = 'svc_audio_progress'

/** Converts the context of LangChain and LangGraph for operations. */
function callContext(run: ToolRun | undefined, config: ToolRunnableConfig | undefined): ToolCallContext {
  return {
    signal: config?.signal,
    context: config?.context,
    run: runOf(config),
    userTexts: () => userTextsOf(config),
    onProgress: (progress) => report(progress, run, config),
  }
}

/** Feeds stream mode `custom` and `streamEvents`. */
function report(progress: SpeechToolProgress, run: ToolRun | undefined, config: ToolRunnableConfig | undefined): void {
  const writer: unknown = config === undefined ? undefined : Reflect.get(config, 'writer')
  // A closed stream must not end the call.
  try {
    if (typeof writer === 'function') writer(progress)
  } catch {}
  run?.handleCustomEvent(PROGRESS_EVENT, progress)?.catch(() => {})
}
