import type { Clock } from '../../domain/clock.ts'
import {
  EngineFailedError,
  type EngineName,
  type EngineState,
  EngineUnavailableError,
} from '../../ports/engine-state.ts'
import type { Log } from '../../services.ts'

/** What {@link EngineSupervisor} needs to know of an engine. */
export interface SupervisedEngineOptions<Engine> {
  readonly name: EngineName
  /** Makes it. Called again after a failure, until there is one. */
  readonly create: (signal: AbortSignal) => Promise<Engine>
  /** Has it do a little work that every engine of its kind can do. Throws when it cannot. */
  readonly probe: (engine: Engine, signal: AbortSignal) => Promise<unknown>
  readonly clock: Clock
  readonly log: Log
}

/** Time to the second try, in milliseconds; each further one waits twice as long. */
const FIRST_DELAY_MS = 1000

/** Longest time between two tries, in milliseconds. */
const LONGEST_DELAY_MS = 60_000

/** How long the start of a service waits for an engine, in milliseconds; a slow one goes on alone. */
const START_PATIENCE_MS = 10_000

/**
 * Keeps an engine at work. One that cannot be made, or fails at a piece of work and then at a probe too, is down: it is
 * not asked for anything, and retried after growing delays (1 s, 2 s … 60 s) until it works. One that fails at its
 * work and not at the probe stays up: the fault was in that work.
 */
export class EngineSupervisor<Engine extends { close(): Promise<void> }> implements EngineState {
  readonly #options: SupervisedEngineOptions<Engine>
  readonly #closing = new AbortController()
  #engine: Engine | undefined
  #failures = 0
  #nextTryAt = 0
  #checking: Promise<void> | undefined
  #cancelRetry: (() => void) | undefined

  constructor(options: SupervisedEngineOptions<Engine>) {
    this.#options = options
  }

  /** False when it has failed, and before it was made. */
  get up(): boolean {
    return this.#engine !== undefined && this.#failures === 0
  }

  get retryAfterSeconds(): number {
    return Math.max(1, Math.ceil((this.#nextTryAt - this.#options.clock.now()) / 1000))
  }

  /** Makes the engine and tries it. Resolves when that has ended, whatever came of it, or takes longer than 10 s. */
  async start(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>()
    const cancel = this.#options.clock.setTimer(START_PATIENCE_MS, () => resolve(undefined))
    await Promise.race([this.#check(), promise])
    cancel()
  }

  /**
   * Has the engine do something. A failure that is the engine's own makes it be tried.
   * @throws EngineUnavailableError while it is down; what `work` throws
   */
  async use<T>(work: (engine: Engine) => Promise<T>): Promise<T> {
    const engine = this.#engine
    if (engine === undefined || !this.up) {
      throw new EngineUnavailableError(this.#options.name, this.retryAfterSeconds)
    }
    return this.watch(() => work(engine))
  }

  /** The same for work that the engine has accepted before. */
  async watch<T>(work: () => Promise<T>): Promise<T> {
    try {
      const result = await work()
      this.works()
      return result
    } catch (error) {
      if (error instanceof EngineFailedError && this.up) void this.#check()
      throw error
    }
  }

  /**
   * It has shown that it works. One that was down may do so before it is retried, or while the trial waits for its
   * turn: at what was accepted before.
   */
  works(): void {
    if (this.#failures === 0) return
    const { name, log } = this.#options
    this.#cancelRetry?.()
    this.#failures = 0
    log.warn({ engine: name }, `the ${name} engine works again`)
  }

  /** Tries no more, and closes the engine. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#cancelRetry?.()
    await this.#engine?.close()
    await this.#checking
    // it may have been made in the meantime
    await this.#engine?.close()
  }

  /** One try at a time. Never rejects. */
  #check(): Promise<void> {
    this.#checking ??= this.#try().finally(() => {
      this.#checking = undefined
    })
    return this.#checking
  }

  async #try(): Promise<void> {
    const { create, probe } = this.#options
    const { signal } = this.#closing
    try {
      this.#engine ??= await create(signal)
      await probe(this.#engine, signal)
      this.works()
    } catch (error) {
      if (!signal.aborted) this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    const { name, log, clock } = this.#options
    const delay = Math.min(FIRST_DELAY_MS * 2 ** this.#failures, LONGEST_DELAY_MS)
    if (this.#failures === 0) {
      log.error({ err: error, engine: name }, `the ${name} engine does not work; it is tried again until it does`)
    }
    this.#failures += 1
    this.#nextTryAt = clock.now() + delay
    this.#cancelRetry = clock.setTimer(delay, () => void this.#check())
  }
}
