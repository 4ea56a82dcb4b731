export {
  type AudioLoader,
  type AudioLoaderOptions,
  type AudioLoaderProgress,
  type AudioMetadata,
  type AudioSegmentMetadata,
  AudioSubtitleLoader,
  type AudioSubtitleLoaderOptions,
  AudioTranscriptLoader,
  AudioTranscriptSegmentsLoader,
} from './audio-loader.ts'
export type { AudioLoaderSource } from './recordings.ts'
