import type { Clock } from '../../domain/clock.ts'
import { EngineFailedError, EngineLostError, EngineNotReadyError, EngineRefusedError } from '@svc-audio/engine-ports'
import { type EngineName, type EngineState, EngineUnavailableError } from '../../ports/engines.ts'
import type { Log } from '../../services.ts'

/** Options of {@link EngineSupervisor}. */
export interface SupervisedEngineOptions<Engine> {
  readonly name: EngineName
  /** Name for the log, where several engines do the same. @default `name` */
  readonly label?: string
  /** Creates the engine. Called again after a failure, until it succeeds. */
  readonly create: (signal: AbortSignal) => Promise<Engine>
  /** Runs a small piece of work that a working engine cannot skip. Throws when the engine fails. */
  readonly probe: (engine: Engine, signal: AbortSignal) => Promise<unknown>
  /** What the same server or entry does beside it. They are probed when it goes down. @default nothing */
  readonly siblings?: () => readonly Sibling[]
  readonly clock: Clock
  readonly log: Log
}

/** A supervisor, as those of the same entry see it. */
type Sibling = Pick<EngineSupervisor<never>, 'lose' | 'recheck'>

/** Delay of the first retry, in milliseconds. Each further retry waits twice as long. */
const FIRST_DELAY_MS = 1000

/** Longest delay of a retry, in milliseconds. An engine that is back is used after this time. */
const LONGEST_DELAY_MS = 15_000

/** Longest delay that an engine may ask for, in milliseconds. */
const LONGEST_TOLD_MS = 3_600_000

/**
 * Longest probe of an engine that is down, in milliseconds: a lost connection may never end. Each further probe has twice
 * as long, because a server may load its model first.
 */
const FIRST_PROBE_MS = 30_000
const LONGEST_PROBE_MS = 600_000

/** Longest time that failed work waits for the probe that tells its cause, in milliseconds. */
const VERDICT_MS = 5000

/** Time after which the log says that an engine is still loading, in milliseconds. */
const SLOW_START_MS = 10_000

/**
 * Longest time that the start of a service waits for an engine, in milliseconds. A slow engine continues to start
 * after that. A working engine starts within a second; beside other programs it waits for a processor for many seconds.
 */
const START_PATIENCE_MS = 60_000

/**
 * Watches an engine. An engine is down if it cannot be created, is lost or not ready, or fails at a piece of work and
 * then at a probe. An engine that is down gets no work. The supervisor probes it after growing delays (1 s, 2 s … 15 s),
 * and only a probe brings it back: earlier work may still end well on a server that stops. An engine that fails at its
 * work but passes the probe stays up: the work caused the failure.
 */
export class EngineSupervisor<Engine extends { close(): Promise<void> }> implements EngineState {
  readonly #options: SupervisedEngineOptions<Engine>
  readonly #closing = new AbortController()
  #engine: Engine | undefined
  #failures = 0
  #nextTryAt = 0
  #hasWorked = false
  /** When the first try began, once the log has said that it is slow. */
  #slowSince: number | undefined
  #checking: Promise<void> | undefined
  #cancelRetry: (() => void) | undefined
  /** Ends the probe in progress after a time. */
  #limitProbe: (() => void) | undefined

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
    const { clock, log } = this.#options
    const started = clock.now()
    const { promise, resolve } = Promise.withResolvers<undefined>()
    const cancelStart = clock.setTimer(START_PATIENCE_MS, () => resolve(undefined))
    const cancelSlow = clock.setTimer(SLOW_START_MS, () => {
      this.#slowSince = started
      log.info({ engine: this.#label }, `the ${this.#label} engine is still loading`)
    })
    await Promise.race([this.#check().finally(cancelSlow), promise])
    cancelStart()
  }

  /**
   * Runs work on the engine. An EngineFailedError starts a probe.
   * @throws EngineUnavailableError while the engine is down, and for work that took it down; what `work` throws
   */
  async use<T>(work: (engine: Engine) => Promise<T>): Promise<T> {
    const engine = this.#engine
    if (engine === undefined || !this.up) throw this.#unavailable()
    return this.watch(() => work(engine))
  }

  /** As {@link EngineSupervisor.use}, for work that the engine has already accepted. */
  async watch<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw error instanceof EngineFailedError ? await this.#judge(error) : error
    }
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

  /** Takes an engine that works down until it passes a probe: its server is lost. */
  lose(error: Error): void {
    if (!this.up) return
    this.#fail(error)
    // It may have been one broken connection.
    void this.#check()
  }

  /** Probes an engine that works. Never rejects. */
  async recheck(): Promise<void> {
    if (this.up) await this.#check()
  }

  /** Finds out whether the engine or its work was the cause. @returns The error for the caller */
  async #judge(error: EngineFailedError): Promise<Error> {
    // An engine that names the field it refuses works.
    if (error instanceof EngineRefusedError && error.param !== undefined) return error
    const isLost = error instanceof EngineLostError || (error instanceof EngineNotReadyError && error.isUnreachable)
    const siblings = this.up ? (this.#options.siblings?.() ?? []) : []
    if (isLost) for (const sibling of siblings) sibling.lose(error)
    if (error instanceof EngineNotReadyError) {
      if (this.up) this.#fail(error, error.retryAfterSeconds)
      if (!isLost) await this.#within(siblings.map((sibling) => sibling.recheck()))
      return this.#unavailable()
    }
    if (isLost) this.lose(error)
    else if (this.up) await this.#within([this.#recheckAll(siblings)])
    return this.up && !isLost ? error : this.#unavailable(error)
  }

  /** Siblings are probed once the own probe has failed. */
  async #recheckAll(siblings: readonly Sibling[]): Promise<void> {
    await this.#check()
    if (!this.up) await Promise.all(siblings.map((sibling) => sibling.recheck()))
  }

  /** Waits for probes, but not for those that are in a queue. */
  async #within(probes: readonly Promise<unknown>[]): Promise<void> {
    if (probes.length === 0) return
    const { promise, resolve } = Promise.withResolvers<undefined>()
    const cancel = this.#options.clock.setTimer(VERDICT_MS, () => resolve(undefined))
    await Promise.race([Promise.all(probes), promise])
    cancel()
  }

  /** @param cause Why work that had begun has failed. @default it has not begun */
  #unavailable(cause?: Error): EngineUnavailableError {
    const { name } = this.#options
    const isLoading = !this.#hasWorked && this.#failures === 0
    return new EngineUnavailableError(name, this.retryAfterSeconds, { cause, isLoading })
  }

  /** Runs one probe at a time. Never rejects. */
  #check(): Promise<void> {
    this.#checking ??= this.#try().finally(() => {
      this.#checking = undefined
    })
    return this.#checking
  }

  async #try(): Promise<void> {
    const { create, probe, clock } = this.#options
    const late = new AbortController()
    const signal = AbortSignal.any([this.#closing.signal, late.signal])
    const limit: { cancel?: () => void } = {}
    try {
      this.#engine ??= await create(this.#closing.signal)
      this.#limitProbe = () => {
        const patience = Math.min(FIRST_PROBE_MS * 2 ** (this.#failures - 1), LONGEST_PROBE_MS)
        const stop = (): void => late.abort(new EngineLostError(`no response to a probe within ${patience / 1000} s`))
        limit.cancel ??= clock.setTimer(patience, stop)
      }
      // An engine that is up may have a queue before the probe. It may go down in the meantime.
      if (this.#failures > 0) this.#limitProbe()
      await probe(this.#engine, signal)
      this.#pass()
    } catch (error) {
      this.#fail(error, error instanceof EngineNotReadyError ? error.retryAfterSeconds : undefined)
    } finally {
      limit.cancel?.()
      this.#limitProbe = undefined
    }
  }

  get #label(): string {
    return this.#options.label ?? this.#options.name
  }

  #pass(): void {
    const { log, clock } = this.#options
    this.#cancelRetry?.()
    const [hadFailed, hadWorked, slowSince] = [this.#failures > 0, this.#hasWorked, this.#slowSince]
    this.#failures = 0
    this.#hasWorked = true
    this.#slowSince = undefined
    if (hadFailed) log.warn({ engine: this.#label }, `the ${this.#label} engine works${hadWorked ? ' again' : ' now'}`)
    else if (slowSince !== undefined) {
      const seconds = Math.round((clock.now() - slowSince) / 1000)
      log.info({ engine: this.#label, seconds }, `the ${this.#label} engine works now`)
    }
  }

  /** @param seconds Time until the engine may work, if it has told one. */
  #fail(error: unknown, seconds?: number): void {
    // Work that the close has ended says nothing about the engine, and a retry would come after it.
    if (this.#closing.signal.aborted) return
    const { log, clock } = this.#options
    const label = this.#label
    const chosen = Math.min(FIRST_DELAY_MS * 2 ** this.#failures, LONGEST_DELAY_MS)
    const delay = seconds === undefined ? chosen : Math.min(Math.max(seconds * 1000, FIRST_DELAY_MS), LONGEST_TOLD_MS)
    if (this.#failures === 0) {
      const isLoading = !this.#hasWorked && error instanceof EngineNotReadyError
      const state = isLoading ? 'is not ready yet' : 'does not work'
      log.error({ err: error, engine: label }, `the ${label} engine ${state}; the service retries until it works`)
    }
    this.#failures += 1
    this.#nextTryAt = clock.now() + delay
    this.#cancelRetry?.()
    this.#cancelRetry = clock.setTimer(delay, () => void this.#check())
    this.#limitProbe?.()
  }
}
