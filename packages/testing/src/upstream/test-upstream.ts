import type { Task } from '@svc-audio/core'
import type { TaskPlan } from '../happy/task-book.ts'
import type { WebhookDelivery } from '../happy/webhooks.ts'
import type { RecordedRequest, WaitOptions } from './recorded-request.ts'
import type { Answer } from './reply.ts'
import type { Target } from './script.ts'

/** Which request is meant: an endpoint, `*` for any, or your own test. */
export type RequestMatcher = Target | ((request: RecordedRequest) => boolean)

/** A service whose answers a test writes. Whatever is not scripted is answered as the interface says. */
export interface TestUpstream extends AsyncDisposable {
  /** Its address, for the client's `baseUrl`. */
  readonly url: string
  /** The one key that it accepts. */
  readonly apiKey: string
  /** Every request since the start, in the order of arrival. */
  readonly requests: readonly RecordedRequest[]
  /** Connections that are open now. */
  readonly connections: number
  /** Most requests that were open at the same time. */
  readonly mostAtOnce: number
  /** Calls of a `webhook_url` that have ended, in order. */
  readonly webhooks: readonly WebhookDelivery[]
  /** Answers every request to an endpoint so, until {@link TestUpstream.reset}. The latest counts. */
  on(target: Target, answer: Answer): this
  /** Answers the next requests to an endpoint so, one each, in this order; then as before. */
  next(target: Target, ...answers: readonly Answer[]): this
  /** Forgets everything scripted by `on` and `next`. */
  reset(): this
  /**
   * The first request that fits and that no earlier call has returned; waits for it if need be. It is returned as soon
   * as its head has arrived: `received()` waits for its body, `closed()` for its end.
   * @param matcher `*` by default.
   */
  waitForRequest(matcher?: RequestMatcher, options?: WaitOptions): Promise<RecordedRequest>
  /** Says how the next asynchronous task goes; several calls apply in order. */
  nextTask(plan: TaskPlan): this
  /**
   * Ends a task now and, if it has a `webhook_url`, waits until that was called.
   * @throws Error when there is no such task
   */
  completeTask(id: string, outcome?: Omit<TaskPlan, 'polls'>): Promise<Task>
  /** Makes every result URL invalid that was given so far: a 403. A task that is asked for again has a new one. */
  expireResults(): this
  /** Resolves when no connection is open. */
  idle(options?: WaitOptions): Promise<void>
  /** Closes the server and every connection; what waits rejects. */
  close(): Promise<void>
}
