export { createEspeakDriver, createEspeakEngine, type EspeakOptions } from './espeak-engine.ts'
export { engineKind } from './engine-kind.ts'
