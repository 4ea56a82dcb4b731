/** Options of {@link startService}. */
export interface ServiceOptions {
  /** Folder for everything that the service stores. A missing folder is made. One service serves it at a time. */
  readonly dataDir: string
  /** Port to listen on; 0 takes a free one. @default 8787 */
  readonly port?: number
  /** Address to listen on. @default '127.0.0.1' */
  readonly host?: string
  /**
   * Public address of the service, for links to results. Set it behind a proxy.
   * @default the address it listens on
   */
  readonly publicUrl?: string
  /** Keys beside the stored ones: tenant by key. With any, the first start makes no key. */
  readonly apiKeys?: ReadonlyMap<string, string>
  /** Longest `input`, in characters. @default 100000 */
  readonly maxInputCharacters?: number
  /** Largest uploaded file, in bytes; the interface allows no more than 512 MB. @default 536870912 */
  readonly maxUploadBytes?: number
  /** Most requests of one key per minute. @default no limit */
  readonly requestsPerMinute?: number
  /** Most tasks that run at once. @default one per processor, at least 2 */
  readonly tasksAtOnce?: number
  /** Most tasks of one tenant that run at once. @default `tasksAtOnce` */
  readonly tasksAtOncePerTenant?: number
  /** Most open tasks of one tenant. @default no limit */
  readonly openTasksPerTenant?: number
  /** Most bytes of one tenant in uploads, inputs and results. @default no limit */
  readonly storageBytesPerTenant?: number
  /**
   * Hosts, addresses and CIDR blocks of the operator's own network that webhooks may call. An entry that begins with
   * `http://` may be called without TLS.
   * @default none
   */
  readonly webhookAllow?: readonly string[]
  /**
   * Hosts, addresses and CIDR blocks of the operator's own network that audio may be fetched from.
   * @default none
   */
  readonly audioUrlAllow?: readonly string[]
  /** Hours that an uploaded file is stored. @default until it is deleted */
  readonly uploadLifetimeHours?: number
  /** Hours that the input of a waiting task is stored; then the task fails. @default 24 */
  readonly inputLifetimeHours?: number
  /** Hours that an ended task and its result are stored. @default 168 */
  readonly resultLifetimeHours?: number
  /** Hours that a link to a result works, at most as long as the result is stored. @default 24 */
  readonly linkLifetimeHours?: number
  /** Whether a successful transcription deletes its uploaded file. @default false */
  readonly deleteAfterSuccess?: boolean
  /** Bearer token of `GET /metrics`. @default none, `/metrics` is open */
  readonly metricsToken?: string
  /** Log level. The log is JSON lines on standard error, without keys and texts. @default 'warn' */
  readonly logLevel?: LogLevel
  /** Milliseconds that a client may take nothing of an answer before it is disconnected. @default 60000 */
  readonly stallTimeout?: number
  /** Milliseconds that a stop waits for requests and tasks in flight. @default 10000 */
  readonly stopTimeout?: number
}

/** How much is logged, from most to nothing. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const

/** One of {@link LOG_LEVELS}. */
export type LogLevel = (typeof LOG_LEVELS)[number]

/** The defaults, however the service is started. */
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
