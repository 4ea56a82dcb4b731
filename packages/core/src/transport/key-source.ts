import { ConfigurationError } from '../errors.ts'

/** Removes the key from a text. */
export type Redact = (text: string) => string

/** A shorter key is a local test key. It is no secret, and may be an ordinary word. */
const MIN_SECRET_LENGTH = 8

/** Number of past keys to redact. The error of a call may contain its key after a later call got another one. */
const MAX_KEYS = 16

/** Longest key. No server accepts longer headers. */
const MAX_KEY_LENGTH = 16_384

/** The bearer key, or a function that returns the current one. */
export type ApiKey = string | (() => string | Promise<string>)

/** The key of a client, and the keys to redact from texts. */
export class KeySource {
  readonly #given: ApiKey
  /** The key if it is a string. A request then does not wait for it. */
  readonly fixed: string | undefined
  readonly #known = new Set<string>()

  /** @throws ConfigurationError for a key that no header can contain */
  constructor(given: ApiKey) {
    this.#given = given
    this.fixed = typeof given === 'function' ? undefined : this.#note(given)
  }

  /**
   * The key for one attempt. A function is called for each attempt, so an expiring key can be replaced.
   * @throws ConfigurationError for a key that no header can contain
   * @throws the error of the function
   */
  async current(): Promise<string> {
    return typeof this.#given === 'function' ? this.#note(await this.#given()) : this.#given
  }

  /** For service texts in error messages: some services repeat the refused key. */
  readonly redact: Redact = (text) => {
    let clean = text
    for (const key of this.#known) if (key.length >= MIN_SECRET_LENGTH) clean = clean.replaceAll(key, '[API key]')
    return clean
  }

  #note(key: string): string {
    // A line break or a space breaks the header, and the error of the HTTP stack prints the key.
    if (typeof key !== 'string' || !/^[!-~]+$/.test(key) || key.length > MAX_KEY_LENGTH) {
      throw new ConfigurationError(`\`apiKey\` must be 1 to ${MAX_KEY_LENGTH} visible ASCII characters`)
    }
    const [oldest = ''] = this.#known
    if (this.#known.size >= MAX_KEYS && !this.#known.has(key)) this.#known.delete(oldest)
    this.#known.add(key)
    return key
  }
}
