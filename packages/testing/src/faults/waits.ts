import { Changes } from '../upstream/changes.ts'
import { type Answer, type AnswerFunction, type Exchange, happy, type Reply, resolveAnswer } from '../upstream/reply.ts'

/**
 * Delays another response.
 * @param milliseconds Counted from the last byte of the request's body. Use {@link hold} in a test that must not depend
 *   on time.
 */
export function delay(milliseconds: number, answer: Answer = happy): AnswerFunction {
  return async (exchange) => {
    await exchange.received()
    await sleep(milliseconds, exchange.signal)
    return resolveAnswer(answer, exchange)
  }
}

/** A held response. */
export interface HeldAnswer {
  (exchange: Exchange): Promise<Reply>
  /** Releases every current and later request. */
  release(): void
}

/** Holds another response until the test calls `release()`. */
export function hold(answer: Answer = happy): HeldAnswer {
  const changes = new Changes()
  let released: true | undefined
  const held = async (exchange: Exchange): Promise<Reply> => {
    await exchange.received()
    await changes.until(() => released, exchange.signal)
    return resolveAnswer(answer, exchange)
  }
  return Object.assign(held, {
    release: (): void => {
      released = true
      changes.notify()
    },
  })
}

/** Never answers. The connection stays open until the client or `close()` ends it. */
export const silence: AnswerFunction = hold()

/** Answers without waiting for the request's body, like a service that refuses by the head alone. */
export function early(answer: Answer): AnswerFunction {
  return (exchange) => {
    exchange.answerEarly()
    return resolveAnswer(answer, exchange)
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
