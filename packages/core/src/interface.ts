export { isPrivateHost } from './checks/private-host.ts'
export { checkPublicUrl } from './checks/public-url.ts'
export { InvalidRequestError } from './errors/invalid-request-error.ts'
export {
  hasPauses,
  PAUSE_MAX_SECONDS,
  PAUSE_MIN_SECONDS,
  pauseOutOfRange,
  splitPauses,
  type TextPart,
} from './text/pauses.ts'
export * from './wire/index.ts'
