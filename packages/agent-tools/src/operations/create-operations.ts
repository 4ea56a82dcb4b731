import { type AdapterOptions, resolveOptions } from '../options/resolve-options.ts'
import type { ResolvedOptions, SpeechToolName, SpeechToolsOptions } from '../options/speech-tools-options.ts'
import { storeFailed } from '../errors/speech-tool-error.ts'
import { Budget, RunUses } from '../run/budget.ts'
import { scopeOf, type ToolCallContext } from '../run/run-context.ts'
import type { AudioInput, StoreAccess, TranscriptStore } from '../store/audio-store.ts'
import { cloneVoiceOperation, listVoicesOperation } from './voices.ts'
import { designVoiceOperation, speakDialogueOperation, speakOperation } from './speak.ts'
import { getTranscriptionOperation, startTranscriptionOperation, transcribeOperation } from './transcribe.ts'
import { readTranscriptOperation, Transcripts } from './transcripts.ts'
import { Transcriber } from './transcriber.ts'

/** Every operation, made for the same options: they share budgets and transcripts. */
export interface SpeechOperations {
  /** Speaks a text into the store. */
  readonly speak: ReturnType<typeof speakOperation>
  /** Transcribes audio. The model gets the beginning of a long transcript. */
  readonly transcribe: ReturnType<typeof transcribeOperation>
  /** Reads on in a long transcript. It costs nothing. */
  readonly read_transcript: ReturnType<typeof readTranscriptOperation>
  /** Starts a transcription that the run does not wait for. */
  readonly start_transcription: ReturnType<typeof startTranscriptionOperation>
  /** Gets the state and text of a started transcription. It costs nothing. */
  readonly get_transcription: ReturnType<typeof getTranscriptionOperation>
  /** Lists the voices that the model may choose. */
  readonly list_voices: ReturnType<typeof listVoicesOperation>
  /** Speaks a dialogue of several voices into one recording. */
  readonly speak_dialogue: ReturnType<typeof speakDialogueOperation>
  /** Speaks a sample in a voice that is described in words. */
  readonly design_voice: ReturnType<typeof designVoiceOperation>
  /** Makes a voice of a recording. */
  readonly clone_voice: ReturnType<typeof cloneVoiceOperation>
}

/** Result of {@link createSpeechOperations}. */
export interface CreatedOperations {
  /** Every operation, chosen or not. */
  readonly operations: SpeechOperations
  /** The chosen tools, in order. */
  readonly chosen: readonly SpeechToolName[]
  /** Where the transcripts are. */
  readonly transcripts: TranscriptStore
  /** The options with their defaults. */
  readonly options: ResolvedOptions
  /**
   * How a store is called on behalf of a run.
   * @throws SpeechToolError `misconfigured` when `forRun` names no user where it should
   */
  accessOf(context: ToolCallContext): StoreAccess
  /**
   * Puts a recording of a run's user into the store.
   * @returns Its reference.
   * @throws SpeechToolError `store_failed`
   */
  storeAudio(audio: AudioInput, contentType: string, context: ToolCallContext): Promise<string>
}

/**
 * Makes the tools without a framework, for adapters: each turns `operations` into tools of its framework.
 * @throws ConfigurationError naming the option
 */
export function createSpeechOperations(given: SpeechToolsOptions, adapter: AdapterOptions = {}): CreatedOperations {
  const options = resolveOptions(given, adapter)
  const uses = new RunUses()
  const characters = new Budget('characters', options, uses)
  const seconds = new Budget('audioSeconds', options, uses)
  const transcripts = new Transcripts(options)
  const transcriber = new Transcriber(transcripts, seconds)
  const operations: SpeechOperations = {
    speak: speakOperation(options, characters),
    transcribe: transcribeOperation(options, transcriber),
    read_transcript: readTranscriptOperation(options, transcripts),
    start_transcription: startTranscriptionOperation(options, transcriber),
    get_transcription: getTranscriptionOperation(options, transcriber),
    list_voices: listVoicesOperation(options),
    speak_dialogue: speakDialogueOperation(options, characters),
    design_voice: designVoiceOperation(options, characters),
    clone_voice: cloneVoiceOperation(options),
  }
  const accessOf = (context: ToolCallContext): StoreAccess => scopeOf('', options, context).access
  return {
    operations,
    chosen: options.tools,
    transcripts: transcripts.store,
    options,
    accessOf,
    async storeAudio(audio, contentType, context) {
      const access = accessOf(context)
      try {
        return (await options.store.put(audio, { ...access, contentType })).id
      } catch (error) {
        context.signal?.throwIfAborted()
        throw storeFailed(error)
      }
    },
  }
}
