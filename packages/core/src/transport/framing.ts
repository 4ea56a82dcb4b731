/**
 * Whether a complete body can be told from a cut one: it has a length or is sent in chunks. Any other HTTP/1.1 body
 * ends with its connection. HTTP/2 has frames, but an RST_STREAM can cut a response without a length, and the response
 * looks complete.
 */
export function isFramed(headers: Readonly<Record<string, string | undefined>>): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}
