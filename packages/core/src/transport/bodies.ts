import type { RequestBody } from './transport.ts'

const encoder = new TextEncoder()

/** Creates a JSON body. */
export function jsonBody(value: object): RequestBody {
  const bytes = encoder.encode(JSON.stringify(value))
  return { contentType: 'application/json', contentLength: bytes.byteLength, open: () => bytes }
}
