export { aigcValue, readAigc } from '../streaming/wav-aigc.ts'
export { applyLexicon, createLexicon, type Lexicon, type LexiconEntries, type SpokenText } from './lexicon.ts'
export type { NarrateOptions, NarrationBody, NarrationClient } from './narrate-options.ts'
export { narrate } from './narrate.ts'
export type { NarrationPiece } from './narration-audio.ts'
export type { Narration } from './narration.ts'
export { pauseMarker } from './pause-marker.ts'
export {
  hasPauses,
  PAUSE_MAX_SECONDS,
  PAUSE_MIN_SECONDS,
  pauseOutOfRange,
  splitPauses,
  type TextPart,
} from './pauses.ts'
export type { SpokenStream } from './piece-audio.ts'
export { goesOn, lineBreaks } from './sentence-joins.ts'
export type { SpeakableOptions } from './speakable-options.ts'
export { speakableStream } from './speakable-stream.ts'
export { speakable } from './speakable.ts'
export type { SplitOptions } from './split-options.ts'
export { splitSentences, splitText } from './split-text.ts'
export { createTextSplitter, splitStream, type TextSplitter } from './text-splitter.ts'
