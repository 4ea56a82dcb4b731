/** Options of {@link startService}. */
export interface ServiceOptions {
  /** Folder of all stored data. A missing folder is created. Only one service can use it at a time. */
  readonly dataDir: string
  /**
   * Address of a PostgreSQL database, `postgres://user:password@host:5432/name`. Any number of processes then share it
   * and the bucket.
   * @default none, everything is stored in `dataDir`
   */
  readonly databaseUrl?: string
  /** Most connections of this process to the database. @default 10 */
  readonly databaseConnections?: number
  /** Bucket of all stored audio, with `databaseUrl`. @default none */
  readonly s3Bucket?: string
  /** Address of a service that speaks S3. @default Amazon's */
  readonly s3Endpoint?: string
  /** Region of the bucket. @default as Amazon's programs find it; `us-east-1` with an endpoint */
  readonly s3Region?: string
  /**
   * What this process does: `api` answers requests, `worker` runs tasks and calls webhooks, `all` does both. The first
   * two need `databaseUrl`, `s3Bucket` and `publicUrl`.
   * @default 'all'
   */
  readonly role?: Role
  /** Port to listen on. 0 selects a free port. @default 8787 */
  readonly port?: number
  /** Address to listen on. @default '127.0.0.1' */
  readonly host?: string
  /**
   * Public address of the service, used in links to results. Set it behind a proxy.
   * @default the address it listens on
   */
  readonly publicUrl?: string
  /** Keys in addition to the stored ones: tenant by key. If there is one, the first start creates no key. */
  readonly apiKeys?: ReadonlyMap<string, string>
  /**
   * Key that seals the webhook and link secrets in the database: 32 characters or more.
   * @default the file `secret.key` of the data folder, which the first start makes
   */
  readonly secretKey?: string
  /** Longest `input`, in characters. @default 100000 */
  readonly maxInputCharacters?: number
  /** Longest speech of one request, in seconds. `Infinity` for no limit. @default 14400 */
  readonly maxOutputSeconds?: number
  /** Largest uploaded file, in bytes; the interface allows no more than 512 MB. @default 536870912 */
  readonly maxUploadBytes?: number
  /** Most requests of one key per minute. `Infinity` for no limit. @default Infinity */
  readonly requestsPerMinute?: number
  /** Most requests of one tenant in flight. `Infinity` for no limit. @default 256 */
  readonly requestsAtOncePerTenant?: number
  /**
   * Most requests of one address per minute with a wrong key. Keys that were not used from there before are then
   * refused. `Infinity` for no limit.
   * @default 100
   */
  readonly failedKeysPerMinute?: number
  /** Most tasks that run at once, for speech and for transcription each. @default 64 */
  readonly tasksAtOnce?: number
  /**
   * Most tasks of one tenant among these, for speech and for transcription each.
   * @default one per processor, at least 2; in a cluster eight times that
   */
  readonly tasksAtOncePerTenant?: number
  /**
   * Longest time of a task without progress, in milliseconds, beyond ten times the estimated time of its step. Its work
   * is then stopped, and another worker takes over.
   * @default 90000
   */
  readonly taskStallTimeout?: number
  /** Longest estimated wait of a task, in seconds; a task that would wait longer gets 429. @default no limit */
  readonly maxQueueSeconds?: number
  /** Most open tasks of one tenant. `Infinity` for no limit. @default 10000 */
  readonly openTasksPerTenant?: number
  /**
   * Most bytes of one tenant in uploads, inputs and results, uploads in flight included. `Infinity` for no limit.
   * @default 10737418240
   */
  readonly storageBytesPerTenant?: number
  /**
   * Hosts, addresses and CIDR blocks of the operator's own network that webhooks may call. An entry with the prefix
   * `http://` may be called without TLS.
   * @default none
   */
  readonly webhookAllow?: readonly string[]
  /**
   * Hosts, addresses and CIDR blocks of the operator's own network from which audio may be fetched.
   * @default none
   */
  readonly audioUrlAllow?: readonly string[]
  /**
   * Most bytes of encoded audio of one tenant that wait to be sent. All tenants together have four times that.
   * `Infinity` for no limit.
   * @default 2147483648
   */
  readonly unsentBytesPerTenant?: number
  /** Lifetime of an uploaded file, in hours. @default until it is deleted */
  readonly uploadLifetimeHours?: number
  /** Lifetime of the input of a queued task, in hours. The task then fails. @default 24 */
  readonly inputLifetimeHours?: number
  /** Lifetime of an ended task and its result, in hours. @default 168 */
  readonly resultLifetimeHours?: number
  /** Lifetime of a link to a result, in hours, limited by the lifetime of the result. @default 24 */
  readonly linkLifetimeHours?: number
  /** Lifetime of a record of the audit log, in days. @default 90 */
  readonly auditLifetimeDays?: number
  /** Whether a successful transcription deletes its uploaded file. @default false */
  readonly deleteAfterSuccess?: boolean
  /**
   * Addresses and CIDR blocks of proxies. From them, `X-Forwarded-For` names the client in logs and in limits by address.
   * @default none
   */
  readonly trustProxy?: readonly string[]
  /** Bearer token of `GET /metrics`. @default none, `/metrics` is open */
  readonly metricsToken?: string
  /** Log level. The log is JSON lines on standard error. It contains no keys and no texts. @default 'warn' */
  readonly logLevel?: LogLevel
  /**
   * Longest time that a client may read nothing of an answer, or send nothing before its first request, in milliseconds.
   * It is then disconnected. @default 60000
   */
  readonly stallTimeout?: number
  /** Longest time that a stop waits for requests and tasks in flight, in milliseconds. @default 10000 */
  readonly stopTimeout?: number
}

/** What a process of a service does. */
export const ROLES = ['all', 'api', 'worker'] as const

/** One of {@link ROLES}. */
export type Role = (typeof ROLES)[number]

/** Log levels, from most to nothing. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const

/** One of {@link LOG_LEVELS}. */
export type LogLevel = (typeof LOG_LEVELS)[number]

/** The defaults, for the command and {@link startService}. */
export const DEFAULT_OPTIONS = {
  port: 8787,
  host: '127.0.0.1',
  maxInputCharacters: 100_000,
  maxOutputSeconds: 4 * 3600,
  requestsPerMinute: Infinity,
  requestsAtOncePerTenant: 256,
  failedKeysPerMinute: 100,
  tasksAtOnce: 64,
  taskStallTimeout: 90_000,
  openTasksPerTenant: 10_000,
  unsentBytesPerTenant: 2 * 1024 * 1024 * 1024,
  storageBytesPerTenant: 10 * 1024 * 1024 * 1024,
  maxUploadBytes: 512 * 1024 * 1024,
  inputLifetimeHours: 24,
  resultLifetimeHours: 168,
  linkLifetimeHours: 24,
  auditLifetimeDays: 90,
  deleteAfterSuccess: false,
  logLevel: 'warn',
  stallTimeout: 60_000,
  stopTimeout: 10_000,
} as const satisfies Partial<ServiceOptions>
