import {
  type AudioInput,
  type CreatedOperations,
  createSpeechOperations,
  type RunKey,
  type SpeakArtifact,
  type SpeechOperation,
  type SpeechOperations,
  type SpeechToolName,
  type SpeechToolsOptions,
  type ToolCallContext,
  type TranscriptStore,
} from '@svc-audio/agent-tools'
import { tool, type Tool } from 'ai'
import type { z } from 'zod'

/** Settings of a call from your code. */
export interface RunOptions {
  /** Stops the work. The call rejects with its reason. @default nothing stops it */
  readonly signal?: AbortSignal | undefined
  /** The run's context, for `forRun`. */
  readonly context?: unknown
  /** Identifies the run, for budgets. @default all calls without one are one run */
  readonly run?: RunKey | undefined
}

/** The speech tools of one application. They share budgets, transcripts and settings. */
export class SpeechToolkit {
  /** The chosen tools by name, ready for `generateText({ tools })`. */
  readonly tools: Readonly<Record<string, Tool>>
  /** Speaks a text into the store. The model gets a reference to the audio. */
  readonly speak: ToolOf<'speak'>
  /** Transcribes a stored recording. The model gets the text, or the start of a long one. */
  readonly transcribe: ToolOf<'transcribe'>
  /** Reads a part of a long transcript. */
  readonly readTranscript: ToolOf<'read_transcript'>
  /** Starts a transcription that the run does not wait for. */
  readonly startTranscription: ToolOf<'start_transcription'>
  /** Gets the state and text of a started transcription. */
  readonly getTranscription: ToolOf<'get_transcription'>
  /** Lists the voices that the model may choose. */
  readonly listVoices: ToolOf<'list_voices'>
  /** Speaks a dialogue of several voices into one recording. */
  readonly speakDialogue: ToolOf<'speak_dialogue'>
  /** Makes a sample of a voice from a description. */
  readonly designVoice: ToolOf<'design_voice'>
  /** Makes a voice of a recording. */
  readonly cloneVoice: ToolOf<'clone_voice'>
  readonly #created: CreatedOperations

  /** @throws ConfigurationError naming the option */
  constructor(options: SpeechToolsOptions) {
    const created = createSpeechOperations(options, { userTexts: true })
    this.#created = created
    const all = allTools(created.operations, undefined)
    this.speak = all.speak
    this.transcribe = all.transcribe
    this.readTranscript = all.read_transcript
    this.startTranscription = all.start_transcription
    this.getTranscription = all.get_transcription
    this.listVoices = all.list_voices
    this.speakDialogue = all.speak_dialogue
    this.designVoice = all.design_voice
    this.cloneVoice = all.clone_voice
    this.tools = this.toolsFor(undefined)
  }

  /**
   * The chosen tools for one run, with the run's context for `forRun`, e.g. its user. Budgets and transcripts stay those
   * of this toolkit.
   */
  toolsFor(context: unknown): Readonly<Record<string, Tool>> {
    const { operations, chosen } = this.#created
    const all = allTools(operations, context)
    return Object.fromEntries(chosen.map((name) => [operations[name].name, all[name]]))
  }

  /**
   * Puts a recording of the user into the store, for a message that names it.
   * @param audio Bytes, a `Blob`, a stream, or a path: never a stranger's string.
   * @param contentType MIME type, e.g. `audio/webm`.
   * @returns The reference for the model.
   * @throws SpeechToolError `store_failed`
   */
  storeAudio(audio: AudioInput, contentType: string, options: RunOptions = {}): Promise<string> {
    return this.#created.storeAudio(audio, contentType, options)
  }

  /**
   * Speaks a text into the store outside of a model's call, e.g. the final answer.
   * @throws SpeechToolError, or the signal's reason
   */
  async speakText(text: string, options: RunOptions = {}): Promise<SpeakArtifact> {
    return (await this.#created.operations.speak.run({ text }, options)).artifact
  }

  /** The whole transcripts, by the `id` of a transcript artifact. */
  get transcripts(): TranscriptStore {
    return this.#created.transcripts
  }
}

/** Every tool, by its own name. */
function allTools(operations: SpeechOperations, context: unknown): { readonly [Name in SpeechToolName]: ToolOf<Name> } {
  return {
    speak: speechTool(operations.speak, context),
    transcribe: speechTool(operations.transcribe, context),
    read_transcript: speechTool(operations.read_transcript, context),
    start_transcription: speechTool(operations.start_transcription, context),
    get_transcription: speechTool(operations.get_transcription, context),
    list_voices: speechTool(operations.list_voices, context),
    speak_dialogue: speechTool(operations.speak_dialogue, context),
    design_voice: speechTool(operations.design_voice, context),
    clone_voice: speechTool(operations.clone_voice, context),
  }
}

/**
 * Tools that give an agent ears and a voice. The model reads short text with references to audio. The application finds
 * an artifact in each tool result.
 *
 * @throws ConfigurationError naming the option
 * @example
 * const tools = createSpeechTools({ client: new AudioClient(), voice_id: 'rms', store: folderAudioStore('./audio') })
 * const { text } = await generateText({ model, tools, prompt, stopWhen: isStepCount(5) })
 */
export function createSpeechTools(options: SpeechToolsOptions): SpeechToolkit['tools'] {
  return new SpeechToolkit(options).tools
}

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
type ToolOf<Name extends keyof SpeechOperations> =
  SpeechOperations[Name] extends SpeechOperation<infer Schema, infer Artifact> ? SpeechTool<Schema, Artifact> : never

/**
 * Converts an operation. The model reads the `content` of a result, or the message of a `SpeechToolError`. The
 * application finds both in the steps of its run.
 *
 * @param context The run's context. @default that of the call
 */
function speechTool<Schema extends z.ZodObject, Artifact>(
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

/** The options of `execute` that are used, in any version of the AI SDK. */
interface ExecuteOptions {
  readonly abortSignal?: AbortSignal | undefined
  readonly messages: readonly object[]
}

/**
 * Converts the options of `execute` for operations.
 * @param bound The context of the run. Without it, the context is that of `toolsContext`, before AI SDK 7 that of
 *   `experimental_context`.
 */
function callContext(options: ExecuteOptions, bound: unknown): ToolCallContext {
  const { abortSignal: signal, messages } = options
  const context: unknown = bound ?? Reflect.get(options, 'context') ?? Reflect.get(options, 'experimental_context')
  return { signal, context, run: runOf(messages), userTexts: () => messages.flatMap(userTextsIn) }
}

/** The texts of a message, if the user wrote it. */
function userTextsIn(message: object): string[] {
  if (Reflect.get(message, 'role') !== 'user') return []
  const content: unknown = Reflect.get(message, 'content')
  if (typeof content === 'string') return [content]
  if (!Array.isArray(content)) return []
  return content.flatMap((part: unknown) => {
    const text: unknown = typeof part === 'object' && part !== null ? Reflect.get(part, 'text') : undefined
    return typeof text === 'string' ? [text] : []
  })
}

/** The run: one `generateText` or `streamText`. It has no id, but every step of it passes the same last user message. */
function runOf(messages: readonly object[]): object | undefined {
  return messages.findLast((message) => 'role' in message && message.role === 'user')
}
