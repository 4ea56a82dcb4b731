export { applyLexicon, createLexicon, type Lexicon, type LexiconEntries, type SpokenText } from './lexicon.ts'
export { checkSpokenText, type SpokenTextOptions } from '../options.ts'
export { type CheckedSplit, checkSplit, type SplitOptions, TextOptionError } from './split-options.ts'
export {
  hasPauses,
  PAUSE_MAX_SECONDS,
  PAUSE_MIN_SECONDS,
  pauseOutOfRange,
  type PausePart,
  splitPauses,
  type SpokenPart,
  type TextPart,
  withoutPauses,
} from './pauses.ts'
export { goesOn, lineBreaks } from './sentence-joins.ts'
export {
  createTextSplitter,
  splitSentences,
  splitStream,
  splitText,
  streamPieces,
  type TextPiece,
  textPieces,
  type TextSplitter,
} from './split-text.ts'
