/** The caller that needs the result of shared work. */
export interface Caller {
  /** Signal of a build or a server. Work stops when every scope that needs it has aborted. */
  readonly scope: AbortSignal
  /**
   * Signal of one listener, which may disconnect earlier. Queued work without listeners is dropped. Started work is billed,
   * so it is finished for the next listener.
   */
  readonly gone?: AbortSignal
}

/** Argument of shared work. */
export interface Work {
  /** Aborts when no caller needs the result. */
  readonly signal: AbortSignal
  /** The work calls this when its billable call starts. */
  readonly started: () => void
}

/** Work in flight by key. Parallel requests for the same key share one run. */
export class SharedWork<Result> {
  readonly #jobs = new Map<string, Job<Result>>()

  /** Joins the work in flight for this key, or starts it. Rejects with the reason of the caller's signals. */
  run(key: string, caller: Caller, work: (job: Work) => Promise<Result>): Promise<Result> {
    if (caller.scope.aborted) return Promise.reject(abortReason(caller.scope))
    const running = this.#jobs.get(key)
    if (running !== undefined) return running.join(caller)
    const job: Job<Result> = new Job(work, () => {
      if (this.#jobs.get(key) === job) this.#jobs.delete(key)
    })
    this.#jobs.set(key, job)
    return job.join(caller)
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

  join({ scope, gone }: Caller): Promise<Result> {
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

  /** Forgets the job first: a later caller must not join aborted work. */
  #abort(why: AbortSignal): void {
    this.#forget()
    this.#controller.abort(abortReason(why))
  }
}

/** Settles as the promise, or rejects with the reason of the first signal that aborts. Removes its listeners. */
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
