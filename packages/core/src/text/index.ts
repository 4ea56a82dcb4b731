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
  type SplitOptions,
  splitPauses,
  splitSentences,
  splitStream,
  splitText,
  type SpokenText,
  TextOptionError,
  type TextPart,
  type TextSplitter,
} from '@svc-audio/text/sentences'
export {
  narrate,
  type NarrateOptions,
  narratePlainText,
  type NarratePlainTextOptions,
  type NarrationBody,
  type NarrationClient,
} from './narrate.ts'
export type { Narration, NarrationPiece } from './narration.ts'
export { pauseMarker } from './pause-marker.ts'
export type { SpokenStream } from './piece-queue.ts'
