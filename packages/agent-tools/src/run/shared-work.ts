import { unlessAborted } from '@svc-audio/core/adapter'

/**
 * Runs work once for all simultaneous callers of the same result. A caller that aborts stops waiting. The work is
 * aborted when no caller waits.
 */
export class SharedWork<Result> {
  readonly #running = new Map<string, Shared<Result>>()

  /** Whether work for this result runs. */
  has(key: string): boolean {
    return this.#running.has(key)
  }

  async run(
    key: string,
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    signal?.throwIfAborted()
    const shared = this.#running.get(key) ?? this.#start(key, work)
    shared.waiting += 1
    try {
      return await (signal === undefined ? shared.result : unlessAborted(shared.result, signal))
    } finally {
      shared.waiting -= 1
      if (shared.waiting === 0) this.#stop(key, shared, signal?.reason)
    }
  }

  #start(key: string, work: (signal: AbortSignal) => Promise<Result>): Shared<Result> {
    const controller = new AbortController()
    const result = work(controller.signal)
    // No caller may be waiting when it fails.
    result.catch(() => {})
    const shared = { result, controller, waiting: 0 }
    this.#running.set(key, shared)
    return shared
  }

  #stop(key: string, shared: Shared<Result>, reason: unknown): void {
    if (this.#running.get(key) === shared) this.#running.delete(key)
    shared.controller.abort(reason)
  }
}

interface Shared<Result> {
  readonly result: Promise<Result>
  readonly controller: AbortController
  waiting: number
}
