export { frameBytes, type PcmFormat, pcmFormatFault, pcmSeconds } from './pcm-format.ts'
export { encodeWav, WAV_HEADER_BYTES, wavHeader } from './wav.ts'
