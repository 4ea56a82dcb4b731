/** Options of {@link startService}. */
export interface ServiceOptions {
  /** Folder for everything the service keeps; made when it is missing. One service serves it at a time. */
  readonly dataDir: string
  /** Port to listen on; 0 takes a free one. @default 8787 */
  readonly port?: number
  /** Address to listen on. @default '127.0.0.1' */
  readonly host?: string
  /** Keys that are valid beside the stored ones: tenant by key. With any, no key is made at first start. */
  readonly apiKeys?: ReadonlyMap<string, string>
  /** Longest `input`, in characters. @default 100000 */
  readonly maxInputCharacters?: number
  /** Asynchronous tasks worked on at the same time. @default one a processor, at least 2 */
  readonly tasksAtOnce?: number
  /**
   * Hosts, addresses and CIDR blocks of one's own network that webhooks may call. An entry that begins with `http://`
   * may be called without TLS.
   * @default none
   */
  readonly webhookAllow?: readonly string[]
  /**
   * Hosts, addresses and CIDR blocks of one's own network that audio may be fetched from.
   * @default none
   */
  readonly audioUrlAllow?: readonly string[]
  /** How long the uploaded file of a task is kept that has not begun, in hours; then the task fails. @default 24 */
  readonly inputLifetimeHours?: number
  /** How long a task that has ended and its result are kept, in hours. @default 168 */
  readonly resultLifetimeHours?: number
  /** What is logged, as JSON lines on standard error. Neither keys nor texts are. @default 'warn' */
  readonly logLevel?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent'
  /** How long a stop waits for running requests and tasks, in milliseconds. @default 10000 */
  readonly stopTimeout?: number
}
