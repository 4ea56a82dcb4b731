import { Changes } from '../upstream/changes.ts'
import {
  type ScriptedResponse,
  type ResponseFunction,
  type Exchange,
  happy,
  type Reply,
  resolveResponse,
} from '../upstream/reply.ts'

/**
 * Delays another response.
 * @param milliseconds Counted from the last byte of the request's body. Use {@link hold} in a test that must not depend
 *   on time.
 */
export function delay(milliseconds: number, response: ScriptedResponse = happy): ResponseFunction {
  return async (exchange) => {
    await exchange.received()
    await sleep(milliseconds, exchange.signal)
    return resolveResponse(response, exchange)
  }
}

/** A held response. */
export interface HeldResponse {
  (exchange: Exchange): Promise<Reply>
  /** Releases every current and later request. */
  release(): void
}

/** Holds another response until the test calls `release()`. */
export function hold(response: ScriptedResponse = happy): HeldResponse {
  const changes = new Changes()
  let released: true | undefined
  const held = async (exchange: Exchange): Promise<Reply> => {
    await exchange.received()
    await changes.until(() => released, exchange.signal)
    return resolveResponse(response, exchange)
  }
  return Object.assign(held, {
    release: (): void => {
      released = true
      changes.notify()
    },
  })
}

/** Never answers. The connection stays open until the client or `close()` ends it. */
export const silence: ResponseFunction = hold()

/** Answers without waiting for the request's body, like a service that refuses by the head alone. */
export function early(response: ScriptedResponse): ResponseFunction {
  return (exchange) => {
    exchange.respondEarly()
    return resolveResponse(response, exchange)
  }
}

// Fake timers of a test replace the global ones later. The upstream keeps the real ones.
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis

/** @throws The signal's reason. No timer remains. */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      stopTimer(timer)
      reject(signal.reason)
    }
    const timer = startTimer(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}
