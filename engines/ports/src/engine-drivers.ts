import type { DiarizationEngine } from './diarization-engine.ts'
import type { RecognitionEngine } from './recognition-engine.ts'
import type { SampleAnalyser, SampleLimits, SampleTraits } from './sample-analyser.ts'
import type { SpeechEngine } from './speech-engine.ts'
import type { BaseVoice, VoiceManner, VoiceParameters } from './voice-parameters.ts'

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
export interface RecognitionDriver extends Readonly<Pick<RecognitionEngine, 'name' | 'language' | 'languages'>> {
  /** Makes the engine, as {@link SpeechDriver.create}. */
  create(options: DriverOptions): Promise<RecognitionEngine>
}

/** Makes a diarizer. */
export interface DiarizationDriver extends Readonly<Pick<DiarizationEngine, 'name'>> {
  /** Makes the engine, as {@link SpeechDriver.create}. */
  create(options: DriverOptions): Promise<DiarizationEngine>
}

/** Finds the parameters of voices. The same input always gives the same voice. */
export interface VoiceDesigner {
  /**
   * Finds the parameters nearest to a measured voice.
   * @param bases The voices of the speech engine with traits, at least one.
   */
  fromSample(traits: SampleTraits, bases: readonly BaseVoice[]): VoiceParameters
  /** Finds the parameters nearest to a description in words. @param bases As for {@link VoiceDesigner.fromSample}. */
  fromInstruction(instruction: string, bases: readonly BaseVoice[]): VoiceParameters
  /**
   * Finds how a description in words changes a voice. The voice stays the same where the description says nothing.
   * @returns `undefined` for a description without a known word
   * @default no description changes a voice
   */
  adjust?(instruction: string, voice: BaseVoice): VoiceManner | undefined
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
