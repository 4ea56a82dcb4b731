import { BaseToolkit, type StructuredToolInterface } from '@langchain/core/tools'
import {
  type AudioInput,
  type AudioSchema,
  checkOption,
  type CloneVoiceSchema,
  createSpeechOperations,
  type CreatedOperations,
  type DesignVoiceSchema,
  type GetTranscriptionSchema,
  type ListVoicesSchema,
  type ReadTranscriptSchema,
  readableTranscript,
  type RunKey,
  type SpeakDialogueSchema,
  type SpeakArtifact,
  type SpeakSchema,
  type SpeechToolsOptions as SharedOptions,
  type TranscribeSchema,
  type TranscriptStore,
} from '@svc-audio/agent-tools'
import { methods, object, oneOf } from '#options'
import { type OnFailure, SpeechTool } from './speech-tool.ts'

/** Options of {@link createSpeechTools} and {@link SpeechToolkit}. */
export interface SpeechToolsOptions extends SharedOptions {
  /**
   * `message` returns every failure as a tool message. `throw-retryable` throws failures that may be sent again without a second bill, as
   * `toolRetryMiddleware` needs it: without that middleware they end the agent's run.
   * @default 'message'
   */
  readonly onFailure?: OnFailure
}

/** Settings of a call from your code. */
export interface RunOptions {
  /** Stops the work. The call rejects with its reason. @default nothing stops it */
  readonly signal?: AbortSignal | undefined
  /** The run's context, for `forRun`. */
  readonly context?: unknown
  /** Identifies the run, for budgets. @default all calls without one are one run */
  readonly run?: RunKey | undefined
}

/** At least one tool. With this type, `createAgent({ tools: [...tools, mine] })` compiles. */
export type SpeechToolList = [StructuredToolInterface, ...StructuredToolInterface[]]

/** The speech tools of one application. They share budgets, transcripts and settings. */
export class SpeechToolkit extends BaseToolkit {
  /** The chosen tools, ready for `createAgent({ tools })`. */
  readonly tools: SpeechToolList
  /** Speaks a text into the store. The model gets a reference to the audio. */
  readonly speak: SpeechTool<SpeakSchema>
  /** Transcribes stored audio. The model gets the text, or the start of a long one. */
  readonly transcribe: SpeechTool<TranscribeSchema>
  /** Reads on in a long transcript. */
  readonly readTranscript: SpeechTool<ReadTranscriptSchema>
  /** Starts a transcription that the run does not wait for. */
  readonly startTranscription: SpeechTool<AudioSchema>
  /** Gets the state and text of a started transcription. */
  readonly getTranscription: SpeechTool<GetTranscriptionSchema>
  /** Lists the voices that the model may choose. */
  readonly listVoices: SpeechTool<ListVoicesSchema>
  /** Speaks a dialogue of several voices into one recording. */
  readonly speakDialogue: SpeechTool<SpeakDialogueSchema>
  /** Speaks a sample in a voice that is described in words. */
  readonly designVoice: SpeechTool<DesignVoiceSchema>
  /** Makes a voice of a recording. */
  readonly cloneVoice: SpeechTool<CloneVoiceSchema>
  readonly #created: CreatedOperations

  /** @throws ConfigurationError naming the option */
  constructor(options: SpeechToolsOptions) {
    super()
    checkOption('options', object, options)
    const { onFailure = 'message', ...shared } = options
    checkOption('onFailure', oneOf(['message', 'throw-retryable']), onFailure)
    const created = createSpeechOperations(shared, { userTexts: true })
    const { operations, chosen } = created
    this.#created = created
    this.speak = new SpeechTool(operations.speak, onFailure)
    this.transcribe = new SpeechTool(operations.transcribe, onFailure)
    this.readTranscript = new SpeechTool(operations.read_transcript, onFailure)
    this.startTranscription = new SpeechTool(operations.start_transcription, onFailure)
    this.getTranscription = new SpeechTool(operations.get_transcription, onFailure)
    this.listVoices = new SpeechTool(operations.list_voices, onFailure)
    this.speakDialogue = new SpeechTool(operations.speak_dialogue, onFailure)
    this.designVoice = new SpeechTool(operations.design_voice, onFailure)
    this.cloneVoice = new SpeechTool(operations.clone_voice, onFailure)
    const byName = {
      speak: this.speak,
      transcribe: this.transcribe,
      read_transcript: this.readTranscript,
      start_transcription: this.startTranscription,
      get_transcription: this.getTranscription,
      list_voices: this.listVoices,
      speak_dialogue: this.speakDialogue,
      design_voice: this.designVoice,
      clone_voice: this.cloneVoice,
    }
    const [first, ...others] = chosen.map((tool) => byName[tool])
    // The options have been checked: there is one.
    this.tools = [first ?? this.speak, ...others]
  }

  /** Whether `forRun` reads the context of a run. */
  get needsContext(): boolean {
    return this.#created.options.forRun !== undefined
  }

  /** Maximum characters of text in one call of `speak`. */
  get maxCharacters(): number {
    return this.#created.options.maxCharacters
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

  /**
   * Transcribes a reference or a URL outside of a model's call.
   * @returns The text, with a line for each turn of a speaker where speakers are known. Of a text over `maxContentCharacters`, the
   *   beginning as a model gets it, with how to read on.
   * @throws SpeechToolError, or the signal's reason
   */
  async transcribeAudio(audio: string, options: RunOptions = {}): Promise<string> {
    const { content, artifact } = await this.#created.operations.transcribe.run({ audio }, options)
    return artifact.truncated ? content : readableTranscript(artifact.text, artifact.segments)
  }

  /** The whole transcripts, by the `id` of a transcript artifact. */
  get transcripts(): TranscriptStore {
    return this.#created.transcripts
  }
}

/**
 * Tools that give an agent ears and a voice. Content is short and for the model; the artifact is for the application and
 * names audio by reference.
 *
 * @throws ConfigurationError naming the option
 * @example
 * const tools = createSpeechTools({ client: new AudioClient(), voice_id: 'rms', store: folderAudioStore('./audio') })
 * const agent = createAgent({ model, tools })
 */
export function createSpeechTools(options: SpeechToolsOptions): SpeechToolList {
  return new SpeechToolkit(options).tools
}

/** @throws ConfigurationError unless it is a toolkit, of any copy of this package */
export function checkToolkit(toolkit: unknown): void {
  checkOption('toolkit', methods('storeAudio', 'transcribeAudio', 'speakText'), toolkit)
}
