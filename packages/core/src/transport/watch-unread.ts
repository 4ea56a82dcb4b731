import { checkOption, timeout } from '../checks/index.ts'
import { TimeoutError } from '../errors.ts'
import type { ApiResponse } from './api-response.ts'
import { IdleTimer } from './idle-timer.ts'
import type { RequestScope } from './request-scope.ts'
import type { CallObserver, Clock } from './transport.ts'

/** Options of the clients that watch for unread responses. */
export interface UnreadOptions {
  /**
   * Longest wait for a reader of audio or of a stream, in milliseconds. A response that nobody begins to read by then is
   * ended, and a later read throws a `TimeoutError` of the phase `unread`.
   * @default 300000
   */
  readonly unreadTimeout?: number | undefined
}

/** A call whose response may be dropped. */
export interface WatchedCall {
  readonly scope: RequestScope
  readonly observer: CallObserver | undefined
  readonly clock: Clock
}

/** Watches a response. It must hold nothing that refers to the response, which could then never be collected. */
export type WatchUnread = (response: ApiResponse, call: WatchedCall) => void

/**
 * Ends the calls of responses that nobody can read any more. Without it, a dropped stream would hold its connection for
 * ever. Old runtimes of Workers have no such registry.
 */
const dropped: FinalizationRegistry<WatchedCall> | undefined =
  typeof FinalizationRegistry === 'undefined'
    ? undefined
    : new FinalizationRegistry(({ scope, observer }) => {
        observer?.dropped?.()
        scope.abort(new Error('The response was dropped'))
      })

/**
 * Creates the watch of a client.
 * @throws ConfigurationError for an invalid time
 */
export function watchUnread({ unreadTimeout = 300_000 }: UnreadOptions): WatchUnread {
  checkOption('unreadTimeout', timeout, unreadTimeout)
  return (response, call) => {
    const { scope, clock } = call
    dropped?.register(response, call, scope)
    const unread = new IdleTimer(clock, unreadTimeout, () => {
      scope.abort(new TimeoutError('unread', `Nobody began to read the response within ${unreadTimeout} ms`))
    })
    unread.begin()
    response.unread = unread
    scope.onEnd(() => {
      unread.stop()
      dropped?.unregister(scope)
    })
  }
}
