export { AudioBody } from './audio-body.ts'
export { FrameAligner, SpeechStream } from './speech-stream.ts'
export { PcmAudio, type SavedSpeech } from './pcm-audio.ts'
export {
  decodeDelta,
  fastDelta,
  parseEvent,
  SseDecoder,
  type SseDecoderOptions,
  type StreamEvent,
} from './sse-decoder.ts'
export { TranscriptionStream, type TranscriptionUsage } from './transcription-stream.ts'
