import { integer, optional } from '@svc-audio/options'
import { Changes } from '../upstream/changes.ts'
import { checkOptions } from '../upstream/checks.ts'
import { type ScriptedResponse, type Exchange, happy, isHttp, type Reply, resolveResponse } from '../upstream/reply.ts'
import { chunksOf, headersOf } from '../upstream/send-reply.ts'

/** Options of {@link stall} and `cut`. */
export interface AfterBytes {
  /** Bytes of the body to send first. @default 0, the head only */
  readonly afterBytes?: number
}

/** A stalled response. */
export interface StalledResponse {
  (exchange: Exchange): Promise<Reply>
  /** Sends the rest, to every current and later request. */
  release(): void
}

/**
 * Sends the start of a response, then nothing until the test calls `release()`. The connection stays open. If the body
 * is no longer than `afterBytes`, only its end is missing.
 */
export function stall(options: AfterBytes = {}, response: ScriptedResponse = happy): StalledResponse {
  checkOptions('stall()', options, { afterBytes: optional(integer(0, 'bytes')) })
  const { afterBytes = 0 } = options
  const changes = new Changes()
  let released: true | undefined
  const stalled = async (exchange: Exchange): Promise<Reply> => {
    const reply = await resolveResponse(response, exchange)
    if (!isHttp(reply)) return reply
    const wait = async (): Promise<void> => void (await changes.until(() => released, exchange.signal))
    return { ...reply, headers: headersOf(reply), body: interrupted(chunksOf(reply), afterBytes, wait) }
  }
  return Object.assign(stalled, {
    release: (): void => {
      released = true
      changes.notify()
    },
  })
}

async function* interrupted(
  chunks: AsyncIterable<Uint8Array>,
  bytes: number,
  wait: () => Promise<void>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let left = bytes
  for await (const chunk of chunks) {
    // After the release, bytes are no longer counted.
    if (chunk.byteLength >= left) {
      yield chunk.subarray(0, left)
      await wait()
      yield chunk.subarray(left)
      left = Infinity
    } else {
      yield chunk
      left -= chunk.byteLength
    }
  }
  if (left < Infinity) await wait()
}
