/** Options of {@link startService}. */
export interface ServiceOptions {
  /** Folder for everything the service keeps; made when it is missing. One service serves it at a time. */
  readonly dataDir: string
  /** Port to listen on; 0 takes a free one. @default 8787 */
  readonly port?: number
  /** Address to listen on. @default '127.0.0.1' */
  readonly host?: string
  /**
   * Address of the service as its callers reach it, for the links to results: behind a proxy its public one.
   * @default the one it listens on
   */
  readonly publicUrl?: string
  /** Keys that are valid beside the stored ones: tenant by key. With any, no key is made at first start. */
  readonly apiKeys?: ReadonlyMap<string, string>
  /** Longest `input`, in characters. @default 100000 */
  readonly maxInputCharacters?: number
  /** Largest uploaded file, in bytes; the interface allows no more than 512 MB. @default 536870912 */
  readonly maxUploadBytes?: number
  /** Requests that one key may make in a minute. @default no limit */
  readonly requestsPerMinute?: number
  /** Asynchronous tasks worked on at the same time. @default one a processor, at least 2 */
  readonly tasksAtOnce?: number
  /** Tasks of one tenant worked on at the same time. @default as many as `tasksAtOnce` */
  readonly tasksAtOncePerTenant?: number
  /** Tasks of one tenant that have not ended; more are refused. @default no limit */
  readonly openTasksPerTenant?: number
  /** What one tenant may keep in uploads, inputs and results, in bytes. @default no limit */
  readonly storageBytesPerTenant?: number
  /**
   * Hosts, addresses and CIDR blocks of the operator's own network that webhooks may call. An entry that begins with `http://`
   * may be called without TLS.
   * @default none
   */
  readonly webhookAllow?: readonly string[]
  /**
   * Hosts, addresses and CIDR blocks of the operator's own network that audio may be fetched from.
   * @default none
   */
  readonly audioUrlAllow?: readonly string[]
  /** How long an uploaded file is stored, in hours. @default until it is deleted */
  readonly uploadLifetimeHours?: number
  /** How long the file of a task is stored that has not begun, in hours; then the task fails. @default 24 */
  readonly inputLifetimeHours?: number
  /** How long a task that has ended and its result are stored, in hours. @default 168 */
  readonly resultLifetimeHours?: number
  /** How long a link to a result works, in hours, though never longer than the result is stored. @default 24 */
  readonly linkLifetimeHours?: number
  /** Whether an uploaded file is deleted once a transcription of it has succeeded. @default false */
  readonly deleteAfterSuccess?: boolean
  /** What `GET /metrics` then wants as its bearer token. @default none, it is open */
  readonly metricsToken?: string
  /** What is logged, as JSON lines on standard error. Neither keys nor texts are. @default 'warn' */
  readonly logLevel?: LogLevel
  /** How long a client may take nothing of an answer before its connection is cut, in milliseconds. @default 60000 */
  readonly stallTimeout?: number
  /** How long a stop waits for running requests and tasks, in milliseconds. @default 10000 */
  readonly stopTimeout?: number
}

/** How much is logged, from most to nothing. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const

/** One of {@link LOG_LEVELS}. */
export type LogLevel = (typeof LOG_LEVELS)[number]

/** What holds where nothing is said, however the service is started. */
export const DEFAULT_OPTIONS = {
  port: 8787,
  host: '127.0.0.1',
  maxInputCharacters: 100_000,
  maxUploadBytes: 512 * 1024 * 1024,
  inputLifetimeHours: 24,
  resultLifetimeHours: 168,
  linkLifetimeHours: 24,
  deleteAfterSuccess: false,
  logLevel: 'warn',
  stallTimeout: 60_000,
  stopTimeout: 10_000,
} as const satisfies Partial<ServiceOptions>
