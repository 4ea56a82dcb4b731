import type { IncomingMessage } from 'node:http'

/** An app's answer to an upload. */
export interface UploadAnswer {
  /** HTTP status. */
  readonly status: number
  /** The body as JSON. */
  readonly body: unknown
}

/** @throws SyntaxError if the body is not JSON */
export async function readAnswer(answer: IncomingMessage): Promise<UploadAnswer> {
  const text = Buffer.concat(await answer.toArray()).toString()
  return { status: answer.statusCode ?? 0, body: JSON.parse(text) as unknown }
}
