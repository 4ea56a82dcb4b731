export { OLDEST_NODE } from './check-node.ts'

export type { SpokenTextOptions } from '@svc-audio/text/sentences'
export type { Encode, NarrationFormat } from './audio/index.ts'
export type { ListedNarration, Narration, NarrationSection } from './narration.ts'
export type { NarrationMode } from './narrator/narrator.ts'
export type {
  FailurePolicy,
  FileDefaults,
  ListSegments,
  NarrationOptions,
  SegmentBy,
  SourceKind,
  SourceKinds,
} from './options.ts'
export { narration } from './plugin.ts'
