/**
 * Whether the end of a body can be told from a cut: it has a length or is sent in chunks. Any other HTTP/1.1 body ends
 * with its connection. HTTP/2 has frames, but an answer without a length may be cut by RST_STREAM and look whole.
 */
export function isFramed(headers: Readonly<Record<string, string | undefined>>): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}
