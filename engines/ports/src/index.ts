export {
  type AudioFormat,
  type Codec,
  CodecUnavailableError,
  type EncodeOptions,
  UndecodableAudioError,
  UnsentLimitError,
} from './codec.ts'
export {
  DIARIZATION_SAMPLE_RATE,
  type Diarization,
  type DiarizationEngine,
  type SpeakerSegment,
} from './diarization-engine.ts'
export type {
  DiarizationDriver,
  DriverOptions,
  EngineDrivers,
  RecognitionDriver,
  SpeechDriver,
  VoiceDesigner,
} from './engine-drivers.ts'
export type { CheckedEntry, EngineKind, EngineParts, EntryContext, EntryFault, WrongEntry } from './engine-kind.ts'
export { EngineClosedError, EngineFailedError, EngineNotReadyError, EngineStuckError } from './engine-errors.ts'
export {
  RECOGNITION_SAMPLE_RATE,
  type Recognition,
  type RecognitionEngine,
  type RecognizedSegment,
  type RecognizedWord,
  type RecognizeOptions,
} from './recognition-engine.ts'
export { type SampleAnalyser, type SampleLimits, type SampleTraits, UnusableSampleError } from './sample-analyser.ts'
export { speakerLabel } from './speaker-label.ts'
export {
  type EngineVoice,
  type SpeechEngine,
  type Synthesis,
  type SynthesisOptions,
  type SynthesisRequest,
  UnspeakableTextError,
} from './speech-engine.ts'
export { atOnce, ENCODING_COST, SPEECH_COST, type Turn, type Turns } from './turns.ts'
export {
  type BaseVoice,
  MANNER_LIMITS,
  type Timbre,
  type VoiceManner,
  type VoiceParameters,
  type VoiceTraits,
} from './voice-parameters.ts'
