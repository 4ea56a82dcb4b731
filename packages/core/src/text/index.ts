export {
  applyLexicon,
  createLexicon,
  createTextSplitter,
  hasPauses,
  type Lexicon,
  type LexiconEntries,
  lineBreaks,
  PAUSE_MAX_SECONDS,
  PAUSE_MIN_SECONDS,
  pauseOutOfRange,
  splitPauses,
  splitSentences,
  type SplitOptions,
  type SpokenText,
  splitStream,
  splitText,
  TextOptionError,
  type TextPart,
  type TextSplitter,
} from '@svc-audio/text/sentences'
export type { NarrateOptions, NarratePlainTextOptions, NarrationBody, NarrationClient } from './narrate-options.ts'
export { narrate, narratePlainText } from './narrate.ts'
export type { NarrationPiece } from './narration-audio.ts'
export type { Narration } from './narration.ts'
export { pauseMarker } from './pause-marker.ts'
export type { SpokenStream } from './piece-audio.ts'
