import { checkPrintable } from './settings.ts'

/** Takes the key out of a text. */
export type Redact = (text: string) => string

/** A shorter key is a local test key: no secret, and perhaps an everyday word. */
const MIN_SECRET_LENGTH = 8

/** Keys that are remembered: an error of a call may repeat its key after the next call got another one. */
const MAX_KEYS = 16

/** Longest key. No server accepts longer headers. */
const MAX_KEY_LENGTH = 16_384

/** The bearer key, or a function that returns the current one. */
export type ApiKey = string | (() => string | Promise<string>)

/** The key of a client, and the keys that no text may show. */
export class KeySource {
  readonly #given: ApiKey
  /** The key, unless a function returns it: a request need not wait for it then. */
  readonly fixed: string | undefined
  readonly #known = new Set<string>()

  /** @throws ConfigurationError for a key that no header can hold */
  constructor(given: ApiKey) {
    this.#given = given
    this.fixed = typeof given === 'function' ? undefined : this.#note(given)
  }

  /**
   * The key for one try. A function is called for each try, so that a key that expires can be replaced.
   * @throws ConfigurationError for a key that no header can hold
   * @throws what the function throws
   */
  async current(): Promise<string> {
    return typeof this.#given === 'function' ? this.#note(await this.#given()) : this.#given
  }

  /** For texts of the service that become part of an error: some services repeat the key that they refuse. */
  readonly redact: Redact = (text) => {
    let clean = text
    for (const key of this.#known) if (key.length >= MIN_SECRET_LENGTH) clean = clean.replaceAll(key, '[API key]')
    return clean
  }

  #note(key: string): string {
    // A line break or a space would break the header, and the error of the HTTP stack would print the key.
    checkPrintable(key, 'apiKey', MAX_KEY_LENGTH)
    const [oldest = ''] = this.#known
    if (this.#known.size >= MAX_KEYS && !this.#known.has(key)) this.#known.delete(oldest)
    this.#known.add(key)
    return key
  }
}
