import type { IncomingMessage } from 'node:http'
import type { VoiceRequest } from '../server/voice-socket.ts'

/** The request of Node, as the server reads it. */
export function nodeRequest({ url = '/', headersDistinct }: IncomingMessage): VoiceRequest {
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    for (const value of values) headers.append(name, value)
  }
  return { url, headers }
}
