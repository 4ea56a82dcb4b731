import type { IncomingMessage } from 'node:http'

/** An app's response to an upload. */
export interface UploadResponse {
  /** HTTP status. */
  readonly status: number
  /** The body as JSON. */
  readonly body: unknown
}

/** @throws SyntaxError if the body is not JSON */
export async function readResponse(response: IncomingMessage): Promise<UploadResponse> {
  const text = Buffer.concat(await response.toArray()).toString()
  return { status: response.statusCode ?? 0, body: JSON.parse(text) as unknown }
}
