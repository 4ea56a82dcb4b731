export { isPrivateHost } from './checks/private-host.ts'
export { checkPublicUrl } from './checks/public-url.ts'
export { gatewayAnswer, type GatewayAnswer } from './errors/gateway-answer.ts'
export { AudioClient, type AudioClientOptions } from './node/client.ts'
export type { FileSink } from './node/file-sink.ts'
export { nodeTransport, type NodeTransportOptions } from './node/transport.ts'
export * from './pure.ts'
export * from './streaming/index.ts'
export * from './telemetry/index.ts'
export {
  hasPauses,
  PAUSE_MAX_SECONDS,
  PAUSE_MIN_SECONDS,
  pauseOutOfRange,
  splitPauses,
  type TextPart,
} from './text/pauses.ts'
export { createGate } from './transport/gate.ts'
export { nameUpload } from './transport/upload-name.ts'
export {
  FILES_LIMIT_MAX,
  FILES_OFFSET_MAX,
  MAX_FILE_BYTES,
  SPEED_MAX,
  SPEED_MIN,
  VOICES_LIMIT_DEFAULT,
  VOICES_LIMIT_MAX,
} from './wire/limits.ts'
export { isKnownModel, KNOWN_MODELS } from './wire/models.ts'
