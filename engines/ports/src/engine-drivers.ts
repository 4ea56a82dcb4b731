import type { DiarizationEngine } from './diarization-engine.ts'
import type { RecognitionEngine } from './recognition-engine.ts'
import type { LiveDetectors } from './speech-detector.ts'
import type { SpeechEngine } from './speech-engine.ts'
import type { SampleAnalyser, SampleLimits, VoiceDesigner } from './voices.ts'

/** What the service gives a driver that makes an engine. */
export interface DriverOptions {
  /** Aborts the creation. */
  readonly signal: AbortSignal
  /** Requests that the service sends at the same time, at least 1. */
  readonly workers: number
  /** Folder for files that the driver can make again. It may be missing. @default nothing is stored */
  readonly cacheDir?: string | undefined
}

/**
 * Makes a speech engine. Name and voices are known before: a service lists them while its engine is down. A server that
 * lists its voices itself has further voices once its engine is made.
 */
export interface SpeechDriver extends Readonly<Pick<SpeechEngine, 'name' | 'voices'>> {
  /** Makes the engine. The service calls it again, with a delay, when it rejects or when the engine fails. */
  create(options: DriverOptions): Promise<SpeechEngine>
}

/** Makes a recognizer. */
export interface RecognitionDriver extends Readonly<
  Pick<RecognitionEngine, 'name' | 'language' | 'languages' | 'features'>
> {
  /** Makes the engine, as {@link SpeechDriver.create}. */
  create(options: DriverOptions): Promise<RecognitionEngine>
}

/** Makes a diarizer. */
export interface DiarizationDriver extends Readonly<Pick<DiarizationEngine, 'name'>> {
  /** Makes the engine, as {@link SpeechDriver.create}. */
  create(options: DriverOptions): Promise<DiarizationEngine>
}

/** Every engine of a service. */
export interface EngineDrivers {
  /** Makes the engine that speaks. */
  readonly speech: SpeechDriver
  /** Makes the engine that recognizes speech. */
  readonly recognition: RecognitionDriver
  /** Makes the engine that tells speakers apart. */
  readonly diarization: DiarizationDriver
  /** Finds the parameters of new voices, from a sample or a description. */
  readonly designer: VoiceDesigner
  /** Makes the analyser of voice samples. */
  createAnalyser(options: { readonly workers: number; readonly limits: SampleLimits }): SampleAnalyser
  /** Makes what finds speech in live recordings. */
  createDetectors(): LiveDetectors
  /** Memory of the engines' own processes, in bytes. 0 for an engine without one. */
  memory(): {
    /** Memory of the process that speaks, in bytes. */
    readonly speech: number
    /** Memory of the process that recognizes, in bytes. */
    readonly recognition: number
  }
  /**
   * Starts a measurement of the engines' own processes. The returned function tells the smallest share of the time since
   * its last call that one of them was given, from 0 to 1: the rest it waited for a processor.
   */
  measureShare(): () => number
  /** Ends the drivers' own processes. Call it after every engine is closed. */
  close(): Promise<void>
}

/** A mistake in an entry of the file of engines. */
export interface EntryFault {
  /** Where it stands in the entry, e.g. `['voices', 0, 'id']`. Empty for the entry itself. */
  readonly path: readonly (string | number)[]
  /** What is wrong and its remedy. It never repeats a value, which may be a secret. */
  readonly message: string
}

/** What the service tells a kind of engine about its entry. */
export interface EntryContext {
  /** Name of the entry, as in logs, metrics and messages. */
  readonly name: string
  /** Folder of the file of engines. Relative paths of the entry start there. */
  readonly folder: string
  /** Folder of the service's data. It may be missing. */
  readonly dataDir: string
  /** Environment variables. A key is a variable whose name the entry has. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** The drivers of one entry. A kind has at least one of the first three. */
export interface EngineParts {
  /** Makes the engine that speaks. @default the entry does not speak */
  readonly speech?: SpeechDriver | undefined
  /** Makes the engine that recognizes speech. @default the entry recognizes nothing */
  readonly recognition?: RecognitionDriver | undefined
  /** Makes the engine that tells speakers apart. @default the entry does not distinguish them */
  readonly diarization?: DiarizationDriver | undefined
  /** Memory of the engine's own processes, in bytes. @default 0, it has none */
  memory?(): number
  /** Ends what the drivers share. Called after every engine is closed. @default nothing is shared */
  close?(): Promise<void>
}

/** A checked entry. */
export interface CheckedEntry {
  /** Absent: the entry has no mistake. */
  readonly faults?: undefined
  /** Makes the drivers. It starts nothing and opens no connection: engines start by the `create` of their drivers. */
  create(): Promise<EngineParts>
}

/** The mistakes of an entry, at least one. */
export interface WrongEntry {
  /**
   * The mistakes, in the order of the entry. The service prints each with file, line and remedy, and does not start.
   */
  readonly faults: readonly EntryFault[]
}

/** A kind of engine that entries of the file of engines name as their `driver`. */
export interface EngineKind {
  /** The name of the kind: the value of `driver`. */
  readonly driver: string
  /** JSON Schema (2020-12) of the kind's own keys: an object without other keys. */
  readonly schema: Readonly<Record<string, unknown>>
  /**
   * Checks the own keys of an entry, without those of the service such as `driver`. It reads files and environment
   * variables, and opens no connection: a server that is down is no mistake of the entry.
   */
  check(keys: unknown, context: EntryContext): CheckedEntry | WrongEntry
}
