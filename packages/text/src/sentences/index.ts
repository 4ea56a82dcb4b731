export { applyLexicon, createLexicon, type Lexicon, type LexiconEntries, type SpokenText } from '../lexicon/lexicon.ts'
export { checkSpokenText, type SpokenTextOptions } from '../options.ts'
export { TextOptionError } from '../text-option-error.ts'
export { withoutPauses } from './hidden-pauses.ts'
export {
  hasPauses,
  PAUSE_MAX_SECONDS,
  PAUSE_MIN_SECONDS,
  pauseOutOfRange,
  splitPauses,
  type PausePart,
  type SpokenPart,
  type TextPart,
} from './pauses.ts'
export { goesOn, lineBreaks } from './sentence-joins.ts'
export { type CheckedSplit, checkSplit, type SplitOptions } from './split-options.ts'
export { splitSentences, splitText, textPieces, type TextPiece } from './split-text.ts'
export { createTextSplitter, splitStream, streamPieces, type TextSplitter } from './text-splitter.ts'
