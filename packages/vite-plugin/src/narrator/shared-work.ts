/** On whose behalf work is done. */
export interface Asker {
  /** A build or a server. Work stops once every scope that asked for it has aborted. */
  readonly scope: AbortSignal
  /**
   * One listener, who may leave earlier. Work that no one waits for any more is dropped while it is queued; once started,
   * it is paid for, so it is finished for the next listener.
   */
  readonly gone?: AbortSignal
}

/** What a piece of work gets. */
export interface Work {
  /** Aborts when the result is not wanted any more. */
  readonly signal: AbortSignal
  /** To be called when the costly part begins. */
  readonly started: () => void
}

/** Work in flight by key, so that what is wanted several times at once is done once. */
export class SharedWork<Result> {
  readonly #jobs = new Map<string, Job<Result>>()

  /** Joins the work in flight for this key, or begins it. Rejects with the reason of the asker's signals. */
  run(key: string, asker: Asker, work: (job: Work) => Promise<Result>): Promise<Result> {
    if (asker.scope.aborted) return Promise.reject(abortReason(asker.scope))
    const running = this.#jobs.get(key)
    if (running !== undefined) return running.join(asker)
    const job: Job<Result> = new Job(work, () => {
      if (this.#jobs.get(key) === job) this.#jobs.delete(key)
    })
    this.#jobs.set(key, job)
    return job.join(asker)
  }
}

class Job<Result> {
  readonly #controller = new AbortController()
  readonly #scopes = new Set<AbortSignal>()
  readonly #result: Promise<Result>
  readonly #forget: () => void
  #waiting = 0
  #started = false

  constructor(work: (job: Work) => Promise<Result>, forget: () => void) {
    this.#forget = forget
    this.#result = work({ signal: this.#controller.signal, started: () => (this.#started = true) })
    const over = (): void => {
      forget()
      for (const scope of this.#scopes) scope.removeEventListener('abort', this.#scopeEnded)
    }
    this.#result.then(over, over)
  }

  join({ scope, gone }: Asker): Promise<Result> {
    if (!this.#scopes.has(scope)) {
      this.#scopes.add(scope)
      scope.addEventListener('abort', this.#scopeEnded, { once: true })
    }
    this.#waiting += 1
    return unlessAborted(this.#result, gone === undefined ? [scope] : [scope, gone]).finally(() => {
      this.#waiting -= 1
      if (this.#waiting === 0 && !this.#started) this.#abort(gone ?? scope)
    })
  }

  readonly #scopeEnded = (event: Event): void => {
    for (const scope of this.#scopes) if (scope === event.target) this.#scopes.delete(scope)
    if (this.#scopes.size === 0 && event.target instanceof AbortSignal) this.#abort(event.target)
  }

  /** Forgotten at once: anyone who asks from now on must not join what is dying. */
  #abort(why: AbortSignal): void {
    this.#forget()
    this.#controller.abort(abortReason(why))
  }
}

/** The promise's outcome, or the reason of the first signal that aborts before it. Listeners do not outlive it. */
function unlessAborted<Result>(promise: Promise<Result>, signals: readonly AbortSignal[]): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(abortReason(signals.find((signal) => signal.aborted)))
    for (const signal of signals) signal.addEventListener('abort', abort, { once: true })
    if (signals.some((signal) => signal.aborted)) abort()
    const clean = (): void => {
      for (const signal of signals) signal.removeEventListener('abort', abort)
    }
    promise.then(resolve, reject).finally(clean)
  })
}

function abortReason(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason
  return reason instanceof Error ? reason : new Error('Stopped', { cause: reason })
}
