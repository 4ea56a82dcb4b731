import type { EngineVoice } from '@svc-audio/engine-ports'
import { type ModelSettings } from './native-config.ts'
import type { Family, RecognitionFamily, SpeakerFamily, SpeechFamily } from './families.ts'
import { findFiles, findPunctuation, findVad, type ModelFiles, type Precision } from './model-files.ts'

/** Options of every model. */
export interface ModelOptions<Kind extends Family> {
  /** Kind of the model. */
  readonly family: Kind
  /** Folder of the model. */
  readonly folder: string
  /** Name of the engine. @default 'sherpa-onnx' */
  readonly name?: string | undefined
  /** Which file to load where a model has both. @default 'int8' */
  readonly precision?: Precision | undefined
  /** Threads of the processor for one piece of work. @default 2 */
  readonly threads?: number | undefined
  /** Processes with the model. Each holds it in memory, and does one piece of work at a time. @default 1 */
  readonly instances?: number | undefined
  /** Where it computes, by sherpa-onnx's name. The published packages have `cpu` alone. @default 'cpu' */
  readonly provider?: string | undefined
  /**
   * Files by their roles: names in the folder, or paths. For a folder with several that fit, and for a vocoder elsewhere.
   * @default the files that fit
   */
  readonly files?: ModelFiles | undefined
  /** Folder in whose `node_modules` sherpa-onnx-node may be. @default beside this package */
  readonly runtimeFolder?: string | undefined
  /** Aborts the creation of the engine. */
  readonly signal?: AbortSignal | undefined
}

/** A voice of a model. */
export interface ModelVoice extends Omit<EngineVoice, 'traits' | 'name'> {
  /** A name for people. @default the id */
  readonly name?: string | undefined
  /** Number of the speaker in the model, from 0. @default 0 */
  readonly speaker?: number | undefined
  /** WAV file of a person whose voice it has: its name in the folder, or a path. For Pocket and ZipVoice. */
  readonly reference?: string | undefined
  /** What the person says there. For ZipVoice. */
  readonly referenceText?: string | undefined
}

/** Options of a voice model. */
export interface SherpaSpeechOptions extends ModelOptions<SpeechFamily> {
  /** The voices of the model, at least one. */
  readonly voices: readonly ModelVoice[]
}

/** An option of engines that listen. */
export interface VadOptions {
  /** File of a Silero or TEN model that finds the speech. @default the engine's own measure of loudness and voice */
  readonly vad?: string | undefined
}

/** Options of a recognizer. */
export interface SherpaRecognitionOptions extends ModelOptions<RecognitionFamily>, VadOptions {
  /** Folder of a model that writes punctuation into the text. @default the text stays as it was recognized */
  readonly punctuation?: string | undefined
  /** Languages of the model, as BCP 47 primary tags. One language is set; of several, the model detects one. */
  readonly languages?: readonly string[] | undefined
}

/** Options of an engine that tells speakers apart. */
export interface SherpaDiarizationOptions extends ModelOptions<SpeakerFamily>, VadOptions {
  /**
   * Two voices whose cosine similarity is at least this are one speaker, from 0 to 1. A higher value finds more speakers.
   * @default 0.5
   */
  readonly similarity?: number | undefined
}

/** All options that say what a process loads. */
export type AnyModelOptions = ModelOptions<Family> &
  Partial<Pick<SherpaRecognitionOptions, 'punctuation' | 'vad'> & Pick<SherpaDiarizationOptions, 'similarity'>>

/** What the processes of a model load. @throws MissingFilesError */
export function modelSettings(options: AnyModelOptions, language?: string): ModelSettings {
  const { family, folder, precision, threads = 2, provider = 'cpu', files, vad, punctuation, runtimeFolder } = options
  return {
    family,
    files: findFiles(folder, family, precision, files),
    runtimeFolder,
    threads,
    provider,
    language,
    vad: vad === undefined ? undefined : findVad(vad),
    punctuation: punctuation === undefined ? undefined : findPunctuation(punctuation, precision),
  }
}
