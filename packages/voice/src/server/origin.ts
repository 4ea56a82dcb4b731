import type { VoiceServerOptions } from './voice-server-options.ts'
import type { VoiceRequest } from './voice-socket.ts'

/**
 * Whether the page of a request may connect. Browsers send cookies of the user with the WebSocket of any page, and name
 * the page: without this check, a foreign page could speak as the user.
 */
export function isAllowedOrigin(request: VoiceRequest, origins: VoiceServerOptions['origins']): boolean {
  const origin = request.headers.get('origin')
  if (origin === null) return true
  if (typeof origins === 'function') return origins(origin, request)
  if (origins !== undefined) return origins.includes(origin)
  return URL.canParse(origin) && new URL(origin).host === request.headers.get('host')?.toLowerCase()
}
