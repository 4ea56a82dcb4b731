import type { CheckOptions, CheckRequest } from '../checks/index.ts'
import type { TelemetryOptions } from '../telemetry.ts'
import type { ApiKey, Clock, Observe, Semaphore, Transport, UnreadOptions, WatchUnread } from '../transport/index.ts'
import type { FileAccess, NameUpload } from '../uploads/index.ts'

/** Options of every client, on every runtime. */
export interface ClientOptions {
  /** Deadline of each whole call, in milliseconds. It includes retries and the reading of the body. @default none */
  readonly timeout?: number
  /**
   * Longest silence between two events of a stream, in milliseconds. Keep-alive comments do not count as events.
   * @default 300000
   */
  readonly idleEventsTimeout?: number
  /** Number of retries of a failed attempt. The README lists which calls are retried. @default 2 */
  readonly maxRetries?: number
  /**
   * Sends a new `Idempotency-Key` with each POST, and retries it like a call that only reads. Set it only for a service
   * that replays by key, as the self-hosted service does: another one may do and bill a call twice.
   * @default false
   */
  readonly idempotent?: boolean
  /**
   * Largest upload, in bytes. A larger one fails before it is sent. The interface allows 512 MB. A self-hosted service
   * may accept more. @default 536870912
   */
  readonly maxUploadBytes?: number
  /**
   * Headers of every request to the service. Headers of a call replace them by name. Neither can replace
   * `authorization`. @default none
   */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * Sends the `url` of a transcription even if it names localhost, a loopback or a private address. The service then
   * decides. It refuses such an address unless its operator allows it (interface: transcription `url`).
   * @default false, `InvalidRequestError` before the request
   */
  readonly allowPrivateUrls?: boolean
  /**
   * Limits the billable calls in flight. Several clients may share one. A response in one piece releases its place when
   * it begins to arrive. A stream releases it at its end, or when nobody reads the stream for 10 seconds while another
   * call waits.
   * @default `createSemaphore(64)`; none for a client that gets its transport as an option
   */
  readonly semaphore?: Semaphore
}

/** Options of a client without a platform. The caller passes transport, clock and files. */
export interface PureAudioClientOptions extends ClientOptions {
  /**
   * The bearer key, or a function that returns the current key. The client calls the function before each request. It
   * sends the key only in the `authorization` header, and only to {@link PureAudioClientOptions.baseUrl}.
   */
  readonly apiKey: ApiKey
  /** Address of the service, e.g. `http://127.0.0.1:8787`. A trailing `/v1` is dropped. */
  readonly baseUrl: string
  /** Carries the requests. */
  readonly transport: Transport
  /** Time and timers of the platform. */
  readonly clock: Clock
  /** Access to files, for uploads from a path and for `saveTo()`. Without it, both throw `ConfigurationError`. */
  readonly files?: FileAccess
  /** Receives an event for every call: `telemetry({ logger, tracer })` of `@svc-audio/core/adapter`. @default none */
  readonly observe?: Observe | undefined
  /**
   * Checks bodies by the rules of the interface before they are sent, and that the URL of a result is not private:
   * `checkRequest` of `@svc-audio/core/adapter`.
   * @default none: only the types and the service check
   */
  readonly checkRequest?: CheckRequest | undefined
  /**
   * Checks the options of the client, its calls and waits: `checkOptions` of `@svc-audio/core/adapter`.
   * @default none: only the types check them
   */
  readonly checkOptions?: CheckOptions | undefined
  /**
   * Corrects the names and types of uploads, by their first bytes too: `nameUpload` of `@svc-audio/core/adapter`.
   * @default none: name and type are sent unchanged
   */
  readonly nameUpload?: NameUpload | undefined
  /** Ends answers that nobody reads: `watchUnread({})` of `@svc-audio/core/adapter`. @default none: they hold their connection */
  readonly watchUnread?: WatchUnread | undefined
  /** Returns a number from 0 to 1, for the delays of retries and polls. @default Math.random */
  readonly random?: () => number
}

/** Options of `AudioClient`, on every runtime. */
export interface AudioClientOptions extends ClientOptions, TelemetryOptions, UnreadOptions {
  /**
   * The bearer key, or a function that returns the current one, called before each request.
   * @default the environment variable `SVC_AUDIO_API_KEY`
   */
  readonly apiKey?: ApiKey
  /**
   * Address of the service, e.g. `http://127.0.0.1:8787`. A trailing `/v1` is dropped.
   * @default the environment variable `SVC_AUDIO_BASE_URL`
   */
  readonly baseUrl?: string
  /** What carries the requests. @default `nodeTransport()` on Node, else `fetchTransport()` */
  readonly transport?: Transport
  /**
   * The clock of retries, polls and deadlines: `createTestClock()` of `@svc-audio/testing` in a test.
   * @default the runtime's timers
   */
  readonly clock?: Clock
}

/** Options that `withOptions()` can change. */
export interface DerivedClientOptions extends ClientOptions {
  /** Another key, e.g. of another tenant. */
  readonly apiKey?: ApiKey
  /** Another address of the service. */
  readonly baseUrl?: string
}
