export { type CueOptions, type SubtitleCue, toCues } from './cues.ts'
export { type SubtitlePiece, type SubtitleSource, renameSpeakers, type Spoken } from './pieces.ts'
export { type SrtOptions, toSrt, toVtt, type VttOptions } from './formats.ts'
