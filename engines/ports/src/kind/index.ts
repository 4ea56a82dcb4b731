export { defineEngineKind, type EngineKindDefinition } from './define-engine-kind.ts'
