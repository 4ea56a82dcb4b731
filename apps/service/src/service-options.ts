import type { EngineDrivers } from '@svc-audio/engine-ports'
import { DEFAULT_PRIORITIES, type Priorities } from '@svc-audio/engine-ports/driver'
import type { RuntimeChoice } from '@svc-audio/engines'

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
  /**
   * Address of the same database without a connection pooler in between. A pooler in transaction mode offers neither
   * `LISTEN` nor locks of a session.
   * @default `databaseUrl`
   */
  readonly databaseUrlDirect?: string
  /** Maximum connections of this process to the database. @default 10 */
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
  /** Engines in place of the bundled ones, each by its name. @default the engines of `@svc-audio/engines` */
  readonly engines?: Partial<EngineDrivers>
  /** File of engines, YAML or JSON. They come before the bundled ones. @default none */
  readonly enginesFile?: string
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
  /** Maximum requests per key and minute. `Infinity` for no limit. @default Infinity */
  readonly requestsPerMinute?: number
  /** Maximum requests per tenant in flight. `Infinity` for no limit. @default 256 */
  readonly requestsAtOncePerTenant?: number
  /** Longest time that a request over this limit waits for a place, in milliseconds. 0 refuses it at once. @default 10000 */
  readonly requestWaitTimeout?: number
  /**
   * Maximum requests per address and minute with a wrong key. Keys that were not used from there before are then
   * refused. `Infinity` for no limit.
   * @default 100
   */
  readonly failedKeysPerMinute?: number
  /**
   * Maximum open connections. Beyond that, connections that are idle are closed. `Infinity` for no limit.
   * @default half of the open files that the system allows, at most 10000
   */
  readonly connections?: number
  /**
   * Maximum open connections of one address, or of the first 64 bits of an IPv6 address. It does not count for the
   * addresses of `trustProxy`. `Infinity` for no limit.
   * @default half of `connections`
   */
  readonly connectionsPerAddress?: number
  /** Maximum tasks that run at once, for speech and for transcription each. @default 64 */
  readonly tasksAtOnce?: number
  /**
   * Maximum tasks per tenant among these, for speech and for transcription each.
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
  /** Maximum open tasks per tenant. `Infinity` for no limit. @default 10000 */
  readonly openTasksPerTenant?: number
  /**
   * Maximum bytes per tenant in uploads, inputs and results, uploads in flight included. `Infinity` for no limit.
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
   * Maximum bytes of encoded audio per tenant that wait to be sent. All tenants together have four times that.
   * `Infinity` for no limit.
   * @default 2147483648
   */
  readonly unsentBytesPerTenant?: number
  /** Lifetime of an uploaded file, in hours. @default until it is deleted */
  readonly uploadLifetimeHours?: number
  /** Lifetime of the input of a queued task, in hours. The task then fails. @default 24 */
  readonly inputLifetimeHours?: number
  /** Lifetime of the request of a failed task and its input, in hours, for `tasks retry`. 0 stores none. @default 24 */
  readonly failedRequestHours?: number
  /** Lifetime of an ended task and its result, in hours. @default 168 */
  readonly resultLifetimeHours?: number
  /** Lifetime of a link to a result, in hours, limited by the lifetime of the result. @default 24 */
  readonly linkLifetimeHours?: number
  /** Lifetime of a record of the audit log, in days. @default 90 */
  readonly auditLifetimeDays?: number
  /**
   * What runs the neural graphs of the bundled engines: `node` is the package `onnxruntime-node`, `web` is WebAssembly,
   * `auto` takes the first one where it is installed.
   * @default 'auto'
   */
  readonly onnxRuntime?: RuntimeChoice
  /** Nice value of engines and encoders, from 0 to 19. Requests have 0. @default 5 */
  readonly engineNice?: number
  /**
   * Nice value of background work while another tenant has work, from `engineNice` to 19: long recordings, and the work of
   * a tenant with more work than slots. @default 15, or `engineNice` if that is more
   */
  readonly backgroundNice?: number
  /** Whether a successful transcription deletes its uploaded file. @default false */
  readonly deleteAfterSuccess?: boolean
  /** Whether the audio calls of the OpenAI API are served too, at `/openai/v1`: an addition. @default false */
  readonly openaiApi?: boolean
  /**
   * Whether the OpenAI API reads Markdown, addresses and emoji as a reader would. Otherwise each mark is spoken.
   * @default true
   */
  readonly openaiMarkdown?: boolean
  /** Ids of voices by further names at the OpenAI API. They also override its own names. @default none */
  readonly openaiAliases?: ReadonlyMap<string, string>
  /** Whether the lists of the OpenAI API need no key. Nothing else is opened. @default false */
  readonly openaiOpenLists?: boolean
  /** Shape of the list of voices of the OpenAI API: objects with `id` and `name`, or names alone. @default 'objects' */
  readonly openaiVoiceList?: VoiceListShape
  /** Origins of pages that may call the service from a browser: `https://app.example.com`. @default none */
  readonly corsOrigins?: readonly string[]
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
   * Longest time that a client may read nothing of a response, or send nothing before its first request, in milliseconds.
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

/** Shapes of the list of voices of the OpenAI API. */
export const VOICE_LISTS = ['objects', 'names'] as const

/** One of {@link VOICE_LISTS}. */
export type VoiceListShape = (typeof VOICE_LISTS)[number]

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
  requestWaitTimeout: 10_000,
  failedKeysPerMinute: 100,
  tasksAtOnce: 64,
  taskStallTimeout: 90_000,
  openTasksPerTenant: 10_000,
  unsentBytesPerTenant: 2 * 1024 * 1024 * 1024,
  storageBytesPerTenant: 10 * 1024 * 1024 * 1024,
  maxUploadBytes: 512 * 1024 * 1024,
  inputLifetimeHours: 24,
  failedRequestHours: 24,
  resultLifetimeHours: 168,
  linkLifetimeHours: 24,
  auditLifetimeDays: 90,
  onnxRuntime: 'auto',
  engineNice: DEFAULT_PRIORITIES.engine,
  deleteAfterSuccess: false,
  openaiApi: false,
  openaiMarkdown: true,
  openaiOpenLists: false,
  openaiVoiceList: 'objects',
  logLevel: 'warn',
  stallTimeout: 60_000,
  stopTimeout: 10_000,
} as const satisfies Partial<ServiceOptions>

/** Returns the nice values of the options. */
export function prioritiesOf({
  engineNice = DEFAULT_OPTIONS.engineNice,
  backgroundNice = Math.max(engineNice, DEFAULT_PRIORITIES.background),
}: Pick<ServiceOptions, 'engineNice' | 'backgroundNice'>): Priorities {
  return { engine: engineNice, background: backgroundNice }
}
