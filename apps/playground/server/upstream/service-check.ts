/** Deadline of a check, in milliseconds. The page says within seconds that a service is silent. */
const TIMEOUT = 2000

/** How long the result of a check is used, in milliseconds. A page asks more often. */
const FRESH = 2000

/** What a check has found: the status of the answer, no answer in time, or no connection. */
export type Checked = number | 'silent' | 'unreachable'

/** Asks a service for an answer, at most once in two seconds, however many pages ask. */
export class ServiceCheck {
  readonly #url: () => string
  readonly #headers: Readonly<Record<string, string>>
  #last: { readonly at: number; readonly result: Promise<Checked> } | undefined

  /** @param url Read at each check. */
  constructor(url: () => string, headers: Readonly<Record<string, string>> = {}) {
    this.#url = url
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
      const response = await fetch(this.#url(), { headers: this.#headers, signal: AbortSignal.timeout(TIMEOUT) })
      await response.body?.cancel()
      return response.status
    } catch (error) {
      return error instanceof Error && error.name === 'TimeoutError' ? 'silent' : 'unreachable'
    }
  }
}
