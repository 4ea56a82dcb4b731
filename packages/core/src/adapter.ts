// For adapters of frameworks and runtimes. Applications need none of these.
export {
  type AdtsContent,
  type AdtsFrame,
  adtsSeconds,
  aigcChunk,
  type AigcMarking,
  aigcValue,
  completeFlacHead,
  FLAC_HEAD_BYTES,
  flacSeconds,
  frameBytes,
  HEAD_BYTES,
  type Mp3Content,
  type Mp3Frame,
  mp3Seconds,
  oggOpusSeconds,
  pcmFormatFault,
  readAdts,
  readAigc,
  readMp3,
  readMp3Frame,
  readWavHead,
  sniff,
  viewOf,
  WAV_HEADER_BYTES,
  type WavChunk,
  wavChunks,
  type WavHead,
  wavHeader,
  wavSeconds,
} from './audio/index.ts'
export { checkOptions } from './client/index.ts'
export { type CheckOptions, checkPublicUrl, type CheckRequest, checkRequest, isPrivateHost } from './checks/index.ts'
export { type GatewayResponse, gatewayResponse, lingerAfterResponse, relayAudio, type RelayedAudio } from './gateway.ts'
export type { FileSink } from './node/index.ts'
export {
  type CallObserver,
  checkNode,
  type Clock,
  type Observe,
  type ObservedCall,
  readApiError,
  type Redact,
  type RequestBody,
  type ResponseBody,
  type RetryContext,
  retryDelay,
  unlessAborted,
  type UnreadOptions,
  type WatchUnread,
  watchUnread,
  webClock,
} from './transport/index.ts'
export { telemetry, type TelemetryOptions } from './telemetry.ts'
export { type FileAccess, type NameUpload, nameUpload, type OpenedUpload } from './uploads/index.ts'
export { goesOn } from '@svc-audio/text/sentences'
