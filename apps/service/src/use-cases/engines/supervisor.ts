import type { Clock } from '../../domain/clock.ts'
import { EngineFailedError, EngineNotReadyError } from '@svc-audio/engine-ports'
import { type EngineName, type EngineState, EngineUnavailableError } from '../../ports/engines.ts'
import type { Log } from '../../services.ts'

/** Options of {@link EngineSupervisor}. */
export interface SupervisedEngineOptions<Engine> {
  readonly name: EngineName
  /** Name for the log, where several engines do the same. @default `name` */
  readonly label?: string
  /** Creates the engine. Called again after a failure, until it succeeds. */
  readonly create: (signal: AbortSignal) => Promise<Engine>
  /** Runs a small piece of work that every working engine can do. Throws when the engine fails. */
  readonly probe: (engine: Engine, signal: AbortSignal) => Promise<unknown>
  readonly clock: Clock
  readonly log: Log
}

/** Delay of the first retry, in milliseconds. Each further retry waits twice as long. */
const FIRST_DELAY_MS = 1000

/** Longest delay of a retry, in milliseconds. */
const LONGEST_DELAY_MS = 60_000

/** Longest delay that an engine may ask for, in milliseconds. */
const LONGEST_TOLD_MS = 3_600_000

/**
 * Longest time that the start of a service waits for an engine, in milliseconds. A slow engine continues to start
 * after that. A working engine starts within a second; beside other programs it waits for a processor for many seconds.
 */
const START_PATIENCE_MS = 60_000

/**
 * Watches an engine. An engine is down if it cannot be created, or fails at a piece of work and then at a probe. An
 * engine that is down gets no work. The supervisor retries it after growing delays (1 s, 2 s … 60 s) until it works. An
 * engine that fails at its work but passes the probe stays up: the work caused the failure.
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

  /** The engine, once it was created. */
  get engine(): Engine | undefined {
    return this.#engine
  }

  /** False before the engine is created and while it is down. */
  get up(): boolean {
    return this.#engine !== undefined && this.#failures === 0
  }

  get retryAfterSeconds(): number {
    return Math.max(1, Math.ceil((this.#nextTryAt - this.#options.clock.now()) / 1000))
  }

  /** Creates and probes the engine. Resolves when the engine works or has failed, or after a minute. */
  async start(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>()
    const cancel = this.#options.clock.setTimer(START_PATIENCE_MS, () => resolve(undefined))
    await Promise.race([this.#check(), promise])
    cancel()
  }

  /**
   * Runs work on the engine. An EngineFailedError starts a probe.
   * @throws EngineUnavailableError while the engine is down; what `work` throws
   */
  async use<T>(work: (engine: Engine) => Promise<T>): Promise<T> {
    const engine = this.#engine
    if (engine === undefined || !this.up) {
      throw new EngineUnavailableError(this.#options.name, this.retryAfterSeconds)
    }
    return this.watch(() => work(engine))
  }

  /** As {@link EngineSupervisor.use}, for work that the engine has already accepted. */
  async watch<T>(work: () => Promise<T>): Promise<T> {
    try {
      const result = await work()
      this.works()
      return result
    } catch (error) {
      if (error instanceof EngineNotReadyError) {
        if (this.up) this.#fail(error, error.retryAfterSeconds)
        throw new EngineUnavailableError(this.#options.name, this.retryAfterSeconds)
      }
      if (error instanceof EngineFailedError && this.up) void this.#check()
      throw error
    }
  }

  /**
   * Reports that the engine works. Earlier work may succeed while the engine is down, before the retry or while the probe
   * waits in the queue.
   */
  works(): void {
    if (this.#failures === 0) return
    const { log } = this.#options
    this.#cancelRetry?.()
    this.#failures = 0
    log.warn({ engine: this.#label }, `the ${this.#label} engine works again`)
  }

  /** Stops the retries and closes the engine. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#cancelRetry?.()
    await this.#engine?.close()
    await this.#checking
    // The engine may have been created in the meantime.
    await this.#engine?.close()
  }

  /** Runs one probe at a time. Never rejects. */
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
      if (!signal.aborted) this.#fail(error, error instanceof EngineNotReadyError ? error.retryAfterSeconds : undefined)
    }
  }

  get #label(): string {
    return this.#options.label ?? this.#options.name
  }

  /** @param seconds Time until the engine may work, if it has told one. */
  #fail(error: unknown, seconds?: number): void {
    const { log, clock } = this.#options
    const label = this.#label
    const chosen = Math.min(FIRST_DELAY_MS * 2 ** this.#failures, LONGEST_DELAY_MS)
    const delay = seconds === undefined ? chosen : Math.min(Math.max(seconds * 1000, FIRST_DELAY_MS), LONGEST_TOLD_MS)
    if (this.#failures === 0) {
      log.error({ err: error, engine: label }, `the ${label} engine does not work; the service retries until it works`)
    }
    this.#failures += 1
    this.#nextTryAt = clock.now() + delay
    this.#cancelRetry?.()
    this.#cancelRetry = clock.setTimer(delay, () => void this.#check())
  }
}
