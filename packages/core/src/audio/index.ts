export { type AdtsContent, type AdtsFrame, adtsSeconds, readAdts } from './adts.ts'
export { hasAscii, id3Bytes, viewOf } from '../bytes.ts'
export { completeFlacHead, FLAC_HEAD_BYTES, flacSeconds } from './flac.ts'
export { isFreeFormat, type Mp3Content, type Mp3Frame, mp3Seconds, readMp3, readMp3Frame } from './mp3.ts'
export { oggOpusSeconds } from './ogg-opus.ts'
export { frameBytes, type PcmFormat, pcmFormatFault, pcmSeconds } from './pcm-format.ts'
export {
  aigcChunk,
  type AigcMarking,
  aigcValue,
  encodeWav,
  readAigc,
  readWav,
  readWavHead,
  WAV_HEADER_BYTES,
  type WavChunk,
  wavChunks,
  type WavContent,
  type WavHead,
  wavHeader,
  wavSeconds,
  wavStream,
} from './wav.ts'
export { Resampler } from './resampler.ts'
export { HEAD_BYTES, sniff } from './sniff.ts'
export { WavMeter } from './wav-meter.ts'
