export { type BlockSource, loudness, PcmReader, percentile } from './pcm.ts'
export {
  type Cluster,
  cutSpeech,
  type GroupOptions,
  groupPoints,
  joinPieces,
  type SpeechPiece,
  squaredDistance,
} from './speakers.ts'
export { findSpeech, type SpeechSpan } from './speech-gate.ts'
export { type Utterance, UtteranceSplitter, type UtteranceSplitterOptions } from './utterance-splitter.ts'
