// Audio files for applications. The parts that adapters need are in `./adapter`.
export {
  encodeWav,
  type PcmFormat,
  pcmSeconds,
  readWav,
  Resampler,
  type WavContent,
  WavMeter,
  wavStream,
} from './audio/index.ts'
