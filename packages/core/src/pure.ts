export {
  hasPauses,
  PAUSE_MAX_SECONDS,
  PAUSE_MIN_SECONDS,
  pauseOutOfRange,
  splitPauses,
  type TextPart,
} from './text/pauses.ts'
