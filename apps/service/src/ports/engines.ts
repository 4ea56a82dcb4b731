import type {
  Diarization,
  EngineVoice,
  Recognition,
  RecognitionEngine,
  RecognitionFeature,
  RecognizeOptions,
  Synthesis,
  SynthesisOptions,
  SynthesisRequest,
  VoiceParameters,
} from '@svc-audio/engine-ports'
import { EngineFailedError } from '@svc-audio/engine-ports'

/** Names of the engines, as in logs, metrics and `/readyz`. */
export type EngineName = 'speech' | 'recognition' | 'diarization'

/** Whether an engine is available. */
export interface EngineState {
  readonly up: boolean
  /** Seconds until a retry makes sense while the engine is unavailable. At least 1. */
  readonly retryAfterSeconds: number
  /** Whether it passes its probes and fails at real work: other engines go first. @default false */
  readonly isDoubted?: boolean
}

/** The state of one of several engines. */
export interface NamedEngineState {
  /** Name of the entry in the file of engines, or `bundled`. */
  readonly name: string
  readonly port: EngineName
  readonly state: EngineState
  readonly work: EngineWork
}

/** What an engine has done in this process. */
export interface EngineWork {
  /** Seconds of speech made, or of recordings heard to their end. */
  readonly seconds: number
  /** Pieces of work that failed because of the engine. */
  readonly failures: number
}

/** Options of {@link EngineUnavailableError}. */
interface EngineUnavailableOptions {
  /** Why work that may have begun has failed. @default no work has begun */
  readonly cause?: Error | undefined
  /** Whether the engine has not worked yet, because it loads its model. @default false */
  readonly isLoading?: boolean
}

/** The engine is down. */
export class EngineUnavailableError extends Error {
  override readonly name = 'EngineUnavailableError' as const
  readonly engine: EngineName
  /** Seconds until a retry makes sense. */
  readonly retryAfterSeconds: number
  /** Whether work may have begun, which took the engine down. */
  readonly hasBegun: boolean

  constructor(
    engine: EngineName,
    retryAfterSeconds: number,
    { cause, isLoading = false }: EngineUnavailableOptions = {},
  ) {
    super(isLoading ? `The ${engine} engine is still loading` : `The ${engine} engine does not work at the moment`, {
      cause,
    })
    this.engine = engine
    this.retryAfterSeconds = retryAfterSeconds
    this.hasBegun = cause !== undefined
  }
}

/** Whether an engine has failed at a piece of work. A refusal before the work is no failure. */
export function isEngineFailure(error: unknown): boolean {
  return error instanceof EngineFailedError || (error instanceof EngineUnavailableError && error.hasBegun)
}

/** The piece of work that an engine serves: one object for each. */
export interface EngineClient {
  readonly tenant: string
  /** Id of the task, the stream or the file. @default the work has none */
  readonly id?: string | undefined
}

/** Says for whom an engine works. */
export interface ForClient {
  /** @default nobody: a probe or a trial, which counts nowhere */
  readonly client?: EngineClient | undefined
}

/** A voice, and the engine that speaks with it. */
export interface ServedVoice extends EngineVoice {
  /** Name of the engine. @default the only one */
  readonly engine?: string
  /** Whether its engine works. @default it is the only one */
  readonly isUp?: boolean
}

/** The engines that speak, as one. */
export interface ServedSpeech {
  readonly voices: readonly ServedVoice[]
  /**
   * Voices that others can be built on, also those whose ids belong to a voice of an earlier engine.
   * @default the voices with traits
   */
  readonly bases?: readonly EngineVoice[]
  /** As an engine does. */
  synthesize(request: SynthesisRequest, options?: SynthesisOptions & ForClient): Promise<Synthesis>
}

/** The engines that recognize speech, as one. */
export interface ServedRecognition extends Pick<RecognitionEngine, 'language' | 'languages'> {
  /**
   * Returns the options that the engine of a recording follows beyond the common ones.
   * @default none
   * @throws EngineUnavailableError while no engine works; ServiceError 400 for a language that none has
   */
  readonly featuresFor?: (options: Pick<RecognizeOptions, 'model' | 'language'>) => readonly RecognitionFeature[]
  /** As an engine does. */
  recognize(pcm: AsyncIterable<Uint8Array>, options?: RecognizeOptions & ForClient): Promise<Recognition>
}

/** The engines that tell speakers apart, as one. */
export interface ServedDiarization {
  /** As an engine does. */
  diarize(pcm: AsyncIterable<Uint8Array>, options?: { readonly signal?: AbortSignal } & ForClient): Promise<Diarization>
}

/** An engine, as usage and the audit log name it. */
export interface UsedEngine {
  /** Name of the entry in the file of engines, or `bundled`. */
  readonly engine: string
  readonly port: EngineName
}

/** What an engine has done for a piece of work. */
export interface EngineUse extends UsedEngine {
  readonly client: EngineClient
  /** Whether the engine failed. An abort is no failure. */
  readonly failed: boolean
  /** Characters of the text. 0 for a recording. */
  readonly characters: number
  /** Length of the speech made, or of the recording that the engine has taken. */
  readonly seconds: number
}

/** What others add to the work of the engines. */
export interface EngineHooks {
  /** An engine of the file receives a text or a recording. */
  readonly begun?: (used: UsedEngine, client: EngineClient) => void
  /** An engine of the file has ended its work, or was stopped. */
  readonly ended?: (use: EngineUse) => void
  /** Finds a voice that is built on one of an engine. @throws ServiceError 404 `voice_not_found` */
  readonly ownVoice?: (id: string) => Promise<VoiceParameters>
}
