export { engineKind } from './engine-kind.ts'
export { type HereOptions, openAiParts } from './engine-parts.ts'
