import type { IncomingMessage } from 'node:http'

/** What an app answered to an upload. */
export interface UploadAnswer {
  readonly status: number
  /** Its JSON. */
  readonly body: unknown
}

/** @throws SyntaxError when it is no JSON */
export async function readAnswer(answer: IncomingMessage): Promise<UploadAnswer> {
  const text = Buffer.concat(await answer.toArray()).toString()
  return { status: answer.statusCode ?? 0, body: JSON.parse(text) as unknown }
}
