export {
  type AudioFormat,
  type Codec,
  CodecUnavailableError,
  type DecodedFile,
  type DecodeOptions,
  type EncodeOptions,
  UndecodableAudioError,
  UnsentLimitError,
} from './codec.ts'
export {
  DIARIZATION_SAMPLE_RATE,
  type Diarization,
  type DiarizationEngine,
  type SpeakerSegment,
  speakerLabel,
} from './diarization-engine.ts'
export type {
  DiarizationDriver,
  DriverOptions,
  EngineDrivers,
  RecognitionDriver,
  SpeechDriver,
  CheckedEntry,
  EngineKind,
  EngineParts,
  EntryContext,
  EntryFault,
  WrongEntry,
} from './engine-drivers.ts'
export {
  EngineClosedError,
  EngineFailedError,
  EngineLostError,
  EngineNotReadyError,
  type EngineNotReadyOptions,
  EngineRefusedError,
  type EngineRefusedOptions,
  EngineStuckError,
} from './engine-errors.ts'
export {
  RECOGNITION_SAMPLE_RATE,
  type Recognition,
  type RecognitionEngine,
  type RecognitionFeature,
  type RecognizedSegment,
  type RecognizedWord,
  type RecognizeOptions,
  type SegmentMeasures,
} from './recognition-engine.ts'
export {
  type SampleAnalyser,
  type SampleLimits,
  type SampleTraits,
  UnusableSampleError,
  type BaseVoice,
  MANNER_LIMITS,
  type Timbre,
  type VoiceDesigner,
  type VoiceManner,
  type VoiceParameters,
  type VoiceTraits,
} from './voices.ts'
export {
  type EngineVoice,
  type SpeechEngine,
  type Synthesis,
  type SynthesisOptions,
  type SynthesisRequest,
  UnspeakableTextError,
} from './speech-engine.ts'
export {
  DETECTOR_FRAME_SAMPLES,
  type LiveDetector,
  type LiveDetectors,
  type SpeechDetector,
} from './speech-detector.ts'
export { atOnce, ENCODING_COST, SPEECH_COST, type Turn, type Turns } from './turns.ts'
