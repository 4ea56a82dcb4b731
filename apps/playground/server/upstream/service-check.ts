/** How long the result of a check is used, in milliseconds: for all pages that ask at about the same time. */
const FRESH = 300

/** What a check has found: the status of the response, no response in time, or no connection. */
export type Checked = number | 'silent' | 'unreachable'

/** Asks a service for a response, a few times per second at most, however many pages ask. */
export class ServiceCheck {
  readonly #url: () => string
  readonly #timeout: number
  readonly #headers: Readonly<Record<string, string>>
  #last: { readonly at: number; readonly result: Promise<Checked> } | undefined

  /**
   * @param url Read at each check.
   * @param timeout Deadline of a check, in milliseconds.
   */
  constructor(url: () => string, timeout: number, headers: Readonly<Record<string, string>> = {}) {
    this.#url = url
    this.#timeout = timeout
    this.#headers = headers
  }

  /** Returns the last result while it is fresh, else that of a new check. */
  result(): Promise<Checked> {
    if (this.#last === undefined || performance.now() - this.#last.at > FRESH) {
      this.#last = { at: performance.now(), result: this.#ask() }
    }
    return this.#last.result
  }

  /** Forgets the last result. */
  reset(): void {
    this.#last = undefined
  }

  async #ask(): Promise<Checked> {
    try {
      const response = await fetch(this.#url(), { headers: this.#headers, signal: AbortSignal.timeout(this.#timeout) })
      await response.body?.cancel()
      return response.status
    } catch (error) {
      return error instanceof Error && error.name === 'TimeoutError' ? 'silent' : 'unreachable'
    }
  }
}
