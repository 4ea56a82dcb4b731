import { status } from '../faults/status.ts'
import type { HttpReply } from '../upstream/reply.ts'

/** A request that gets an error instead of a happy response. */
export class Refusal extends Error {
  override readonly name = 'Refusal' as const
  readonly reply: HttpReply

  constructor(
    code: number,
    error: string,
    param: string | null,
    message: string,
    headers: Record<string, string> = {},
  ) {
    super(message)
    this.reply = status(code, { headers, error: { code: error, param, message } })
  }
}
