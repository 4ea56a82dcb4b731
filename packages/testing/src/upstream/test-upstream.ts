import type { Model, Task, TranscriptionSegment, Transport, Voice } from '@svc-audio/core'
import { callback, flag, integer, optional, type OptionRule, positive, secret } from '#options'
import type { TaskPlan, WebhookDelivery } from '../happy/task-book.ts'
import { checkOptions } from './checks.ts'
import type { RecordedRequest, Target, WaitOptions } from './recorded-request.ts'
import type { ScriptedResponse } from './reply.ts'

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

/** Options of {@link createTestUpstream}. */
export interface TestUpstreamOptions {
  /** The only accepted key; any other is a 401. @default 'svc-test-key' */
  readonly apiKey?: string
  /** The tenant's voices, or their number. @default 3 */
  readonly voices?: number | readonly Voice[]
  /** Ids of the models. @default every id that the interface names */
  readonly models?: readonly (string | Model)[]
  /** Length of all speech, in seconds. @default 0.5 */
  readonly speechSeconds?: number
  /** Bytes of PCM in one event or chunk of a speech stream. @default 4800, 100 ms */
  readonly chunkBytes?: number
  /** Whether event streams start with `task.created`; some access paths omit it for speech. @default true */
  readonly taskCreated?: boolean
  /** Text of every transcription, except diarized ones: see {@link TestUpstreamOptions.segments}. */
  readonly transcript?: string
  /** Segments of diarized transcriptions. @default two speakers with one sentence each */
  readonly segments?: readonly TranscriptionSegment[]
  /**
   * Polls until a task ends: the last poll answers `SUCCESS`, the others `PENDING` or `PROCESSING`. `Infinity` waits
   * for `completeTask()`. @default 2
   */
  readonly polls?: number
  /** `retry_after` of an unfinished task, in seconds; `undefined` omits it. @default 0, so tests do not wait */
  readonly retryAfter?: number | undefined
  /** Signs webhooks as in Standard Webhooks: base64, with or without the prefix `whsec_`. @default unsigned */
  readonly webhookSecret?: string
  /** Changes the URL of results, for example to another origin. @default unchanged */
  readonly resultUrl?: (url: URL) => URL | string
  /** Largest body and largest uploaded file that a recorded request stores, in bytes. @default 1048576 */
  readonly keepBytes?: number
  /** Clock of all timestamps, in milliseconds since 1970. @default Date.now */
  readonly now?: () => number
}

/** The default key. */
export const TEST_API_KEY = 'svc-test-key'

/** Options with their defaults. */
export type FullOptions = Required<Omit<TestUpstreamOptions, 'webhookSecret' | 'retryAfter'>> &
  Pick<TestUpstreamOptions, 'webhookSecret' | 'retryAfter'>

const DEFAULTS: FullOptions = {
  apiKey: TEST_API_KEY,
  voices: 3,
  models: [],
  speechSeconds: 0.5,
  chunkBytes: 4800,
  taskCreated: true,
  transcript: 'Good morning, this is a test.',
  segments: [
    { type: 'transcript.text.segment', id: 'seg-1', start: 0, end: 1.5, text: 'Good morning.', speaker: 'S01' },
    { type: 'transcript.text.segment', id: 'seg-2', start: 1.5, end: 3, text: 'Welcome back.', speaker: 'S02' },
  ],
  polls: 2,
  retryAfter: 0,
  resultUrl: (url) => url,
  keepBytes: 1024 * 1024,
  now: Date.now,
}

const polls: OptionRule = (value) => (value === Infinity ? undefined : integer(1)(value))
const list: OptionRule = (value) => (Array.isArray(value) ? undefined : 'must be an array')
const voices: OptionRule = (value) =>
  Array.isArray(value) || integer(0)(value) === undefined ? undefined : 'must be a number of voices or an array'

const RULES: Readonly<Record<keyof TestUpstreamOptions, OptionRule>> = {
  apiKey: optional(secret),
  voices: optional(voices),
  models: optional(list),
  speechSeconds: optional(positive('seconds')),
  chunkBytes: optional(integer(1, 'bytes')),
  taskCreated: optional(flag),
  transcript: optional((value) => (typeof value === 'string' ? undefined : 'must be a string')),
  segments: optional(list),
  polls: optional(polls),
  retryAfter: optional((value) => (typeof value === 'number' ? undefined : 'must be a number of seconds')),
  webhookSecret: optional(secret),
  resultUrl: optional(callback),
  keepBytes: optional(integer(0, 'bytes')),
  now: optional(callback),
}

/**
 * Checks options and adds the defaults.
 * @throws TypeError for an unknown option
 * @throws RangeError for a wrong value
 */
export function fullOptions(owner: string, options: TestUpstreamOptions): FullOptions {
  checkOptions(owner, options, RULES)
  return { ...DEFAULTS, ...options }
}
