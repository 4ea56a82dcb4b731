export { isPrivateHost } from './checks/private-host.ts'
export { checkPublicUrl } from './checks/public-url.ts'
export { InvalidRequestError } from './errors/request-errors.ts'
export {
  hasPauses,
  PAUSE_MAX_SECONDS,
  PAUSE_MIN_SECONDS,
  pauseOutOfRange,
  splitPauses,
  type TextPart,
} from '@svc-audio/text/sentences'
export * from './wire/index.ts'
