import type { Task, Transport } from '@svc-audio/core'
import type { TaskPlan } from '../happy/task-book.ts'
import type { WebhookDelivery } from '../happy/webhooks.ts'
import type { RecordedRequest, WaitOptions } from './recorded-request.ts'
import type { ScriptedResponse } from './reply.ts'
import type { Target } from './script.ts'

/** Selects a request: an endpoint, `*` for any, or a predicate. */
export type RequestMatcher = Target | ((request: RecordedRequest) => boolean)

/** A service with responses scripted by a test. Without a script it answers as the interface says. */
export interface TestUpstream extends AsyncDisposable {
  /** Its address, for the client's `baseUrl`. */
  readonly url: string
  /** The only key that it accepts. */
  readonly apiKey: string
  /** Every request since the start, in the order of arrival. */
  readonly requests: readonly RecordedRequest[]
  /** Sends a request to this upstream without a network. It follows no redirect, and `handle()` needs a server. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
  /** A transport without a network, for the client's option `transport`. */
  readonly transport: Transport
  /** Connections that are open now. */
  readonly connections: number
  /** Highest number of requests open at the same time. */
  readonly mostAtOnce: number
  /** Ended calls of a `webhook_url`, in order. */
  readonly webhooks: readonly WebhookDelivery[]
  /** Answers every request to an endpoint this way, until {@link TestUpstream.reset}. The latest call counts. */
  on(target: Target, response: ScriptedResponse): this
  /** Answers the next requests to an endpoint, one each, in this order; then as before. */
  next(target: Target, ...responses: readonly ScriptedResponse[]): this
  /** Clears everything scripted by `on`, `next` and `nextTask`. */
  reset(): this
  /**
   * The first matching request that no earlier call has returned. Waits until one arrives. Resolves as soon as its head
   * has arrived: `received()` waits for its body, `closed()` for its end.
   * @param matcher `*` by default.
   */
  waitForRequest(matcher?: RequestMatcher, options?: WaitOptions): Promise<RecordedRequest>
  /** Plans the next asynchronous task. Several calls apply in order. */
  nextTask(plan: TaskPlan): this
  /**
   * Ends a task now. If it has a `webhook_url`, waits for that call.
   * @throws Error if the task does not exist
   */
  completeTask(id: string, outcome?: Omit<TaskPlan, 'polls'>): Promise<Task>
  /** Makes every earlier result URL a 403. The next poll of a task returns a new URL. */
  expireResults(): this
  /** Resolves when no connection is open. */
  idle(options?: WaitOptions): Promise<void>
  /**
   * Closes the server and every connection. Pending waits reject.
   * @throws UnusedResponsesError naming the scripted responses that no request has used
   */
  close(): Promise<void>
}
