export { EngineClosedError } from './engine-closed-error.ts'
export { createFliteEngine, type FliteEngineOptions } from './flite-engine.ts'
export { SpeechFailedError } from './speech-failed-error.ts'
