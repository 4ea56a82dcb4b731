export { AudioBody } from './audio-body.ts'
export {
  decodeDelta,
  fastDelta,
  parseEvent,
  type StreamEvent,
  SseDecoder,
  type SseDecoderOptions,
} from './sse-decoder.ts'
export { FrameAligner } from './frame-aligner.ts'
export { type SavedSpeech, SpeechStream } from './speech-stream.ts'
export { TranscriptionStream, type TranscriptionUsage } from './transcription-stream.ts'
