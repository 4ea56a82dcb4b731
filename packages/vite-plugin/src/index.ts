export { OLDEST_NODE } from './check-node.ts'

export type { NarrationFormat } from './audio/formats.ts'
export type { ListedNarration, Narration, NarrationSection } from './narration.ts'
export type { Encode } from './narrator/encoder.ts'
export type { NarrationMode } from './narrator/narrator.ts'
export type { FailurePolicy, FileDefaults, NarrationOptions } from './options.ts'
export { narration } from './plugin.ts'
export type { SegmentBy } from './source/segments.ts'
