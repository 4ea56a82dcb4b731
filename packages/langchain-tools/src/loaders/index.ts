export type { AudioLoader, AudioLoaderOptions, AudioLoaderProgress, AudioMetadata } from './audio-loader.ts'
export type { AudioLoaderSource } from './recordings.ts'
export {
  type AudioSegmentMetadata,
  AudioSubtitleLoader,
  type AudioSubtitleLoaderOptions,
  AudioTranscriptLoader,
  AudioTranscriptSegmentsLoader,
} from './transcript-loaders.ts'
