export type { AlignerParts } from './alignment/aligner.ts'
export { bundledEngines, type BundledEnginesOptions } from './bundled-engines.ts'
export { createDiarizer, type DiarizerOptions } from './diarizer/diarizer-engine.ts'
export { createFliteEngine, FLITE, type FliteEngineOptions } from './flite/flite-engine.ts'
export { createJoeEngine, hasJoe, JOE, type JoeEngineOptions } from './joe/joe-engine.ts'
export {
  createMoonshineEngine,
  type MoonshineEngineOptions,
  type MoonshineParts,
} from './moonshine/moonshine-engine.ts'
export {
  chosenRuntime,
  type Graph,
  type OnnxRuntime,
  RUNTIME_CHOICES,
  type RuntimeChoice,
  type Tensor,
  type TensorData,
} from './onnx/runtime.ts'
export { createLiveDetectors, type LiveDetectorsOptions } from './speech-detector/live-detectors.ts'
export { loadSilero, type OpenDetector } from './speech-detector/silero.ts'
export type { StartThread, Thread, ThreadOptions, WatchdogOptions } from './threads/thread.ts'
export { WorkerProcess, type WorkerProcessOptions } from './threads/worker-process.ts'
export { createSampleAnalyser, type SampleAnalyserOptions } from './voice-design/sample-analyser.ts'
export { analyseSample } from './voice-design/analyse-sample.ts'
export { fitVoice, type VoiceTarget } from './voice-design/fit-voice.ts'
export { fromInstruction } from './voice-design/from-instruction.ts'
