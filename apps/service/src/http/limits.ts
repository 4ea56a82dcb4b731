import { hash } from 'node:crypto'
import rateLimit, { type FastifyRateLimitStoreCtor } from '@fastify/rate-limit'
import type { FastifyInstance } from 'fastify'
import { type Clock, systemClock } from '../domain/clock.ts'
import { ServiceError } from '../domain/service-error.ts'
import type { RequestCounter } from '../ports/processes.ts'
import { keyOf } from './authenticate.ts'
import { whenResponseEnds } from './response-end.ts'

/** Maximum keys counted at the same time. Beyond that, the count of the key idle longest restarts. */
const MOST_KEYS = 10_000

/**
 * Limits the requests of a key in a minute, counted from its first request. Every response says how many are left. A
 * request over the limit gets 429 with `Retry-After`. Register it behind {@link authenticate}: only known keys are
 * counted.
 * @param counter Counts the requests of all processes of a cluster. @default those of this process
 */
export async function limitRate(
  app: FastifyInstance,
  requestsPerMinute: number,
  counter?: RequestCounter,
): Promise<void> {
  await app.register(rateLimit, {
    ...(counter === undefined ? {} : { store: storeOver(counter) }),
    max: requestsPerMinute,
    timeWindow: 60_000,
    cache: MOST_KEYS,
    // Distinguishes keys without storing them.
    keyGenerator: (request) => hash('sha256', keyOf(request) ?? '', 'base64url'),
    errorResponseBuilder: (_request, { ttl }) => {
      const message = `This key allows ${requestsPerMinute} requests in a minute`
      return new ServiceError(429, 'rate_limited', message, { retryAfterSeconds: Math.ceil(ttl / 1000) })
    },
  })
}

/** What the limiter calls with a count. */
type Done = (error: Error | null, result?: { current: number; ttl: number }) => void

/** The counter as the class that the limiter makes for itself. A failing count fails the request. */
function storeOver(counter: RequestCounter): FastifyRateLimitStoreCtor {
  const count = async (key: string, done: Done, window: number): Promise<void> => {
    let counted
    try {
      counted = await counter.count(key, window)
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)))
      return
    }
    done(null, { current: counted.amount, ttl: counted.left })
  }
  return class CounterStore {
    incr(key: string, done: Done, window: number): void {
      void count(key, done, window)
    }

    /** Every route counts together. */
    child(): this {
      return this
    }
  }
}

/** Expected length of a request before the first one has ended, in milliseconds. */
const EXPECTED_MS = 1000

/** Longest `Retry-After`, in seconds. OpenAI's clients ignore a longer one. */
const MAX_RETRY_SECONDS = 60

/** Weight of the newest request in the average length. */
const NEWEST_WEIGHT = 0.3

/** Most requests of a tenant that wait for a place, unless its limit is higher. */
const MAX_WAITING = 64

/** Options of {@link limitTenant}. */
export interface TenantLimitOptions {
  /** Longest wait of a request for a place, in milliseconds. @default 0, it is refused at once */
  readonly wait?: number | undefined
  /** @default the clock of the machine */
  readonly clock?: Clock
}

/**
 * Limits the requests of a tenant in flight: from the check of the key to the last byte of the response. A request over
 * the limit waits for a place, in order. After that time, or when too many wait, it gets 429 `too_many_requests`. Its
 * `Retry-After` fits the queue: requests that were refused together do not come back together. Register it behind
 * `authenticate`.
 */
export function limitTenant(
  app: FastifyInstance,
  max: number,
  { wait = 0, clock = systemClock }: TenantLimitOptions = {},
): void {
  const tenants = new Map<string, TenantPlaces>()
  app.addHook('onRequest', ({ tenant }, reply, done) => {
    let places = tenants.get(tenant)
    if (places === undefined) {
      places = new TenantPlaces(max, wait, clock)
      tenants.set(tenant, places)
    }
    const own = places
    const leave = own.enter(done)
    whenResponseEnds(reply, () => {
      leave()
      if (own.isIdle && tenants.get(tenant) === own) tenants.delete(tenant)
    })
  })
}

/** A request that waits for a place. */
interface WaitingRequest {
  readonly start: () => void
  readonly cancel: () => void
}

/** The places of one tenant. */
class TenantPlaces {
  readonly #max: number
  readonly #wait: number
  readonly #clock: Clock
  readonly #waiting = new Set<WaitingRequest>()
  /** When each running request began, in milliseconds since 1970. */
  readonly #running = new Set<{ readonly begun: number }>()
  /** Average length of the requests that have ended. */
  #averageMs: number | undefined
  /** When the refused requests are expected again, in milliseconds since 1970. */
  #expected: number[] = []

  constructor(max: number, wait: number, clock: Clock) {
    this.#max = max
    this.#wait = wait
    this.#clock = clock
  }

  get isIdle(): boolean {
    return this.#running.size === 0 && this.#waiting.size === 0
  }

  /**
   * Takes a place, or waits for one.
   * @param enter Called when the request has a place, or with the error that refuses it
   * @returns Leaves the place or the queue. A second call has no effect.
   */
  enter(enter: (error?: ServiceError) => void): () => void {
    let leave: (() => void) | undefined
    const start = (): void => {
      leave = this.#take()
      enter()
    }
    if (this.#running.size < this.#max && this.#waiting.size === 0) start()
    else if (this.#wait === 0 || this.#waiting.size >= Math.max(MAX_WAITING, this.#max)) enter(this.#refusal())
    else leave = this.#queue(start, enter)
    return () => leave?.()
  }

  #take(): () => void {
    const place = { begun: this.#clock.now() }
    this.#running.add(place)
    return () => {
      if (!this.#running.delete(place)) return
      const length = this.#clock.now() - place.begun
      this.#averageMs = length * NEWEST_WEIGHT + (this.#averageMs ?? length) * (1 - NEWEST_WEIGHT)
      const [next] = this.#waiting
      next?.start()
    }
  }

  #queue(start: () => void, enter: (error: ServiceError) => void): () => void {
    const cancelTimer = this.#clock.setTimer(this.#wait, () => {
      this.#waiting.delete(waiting)
      enter(this.#refusal())
    })
    const cancel = (): void => {
      cancelTimer()
      this.#waiting.delete(waiting)
    }
    const waiting: WaitingRequest = {
      cancel,
      start() {
        cancel()
        start()
      },
    }
    this.#waiting.add(waiting)
    return cancel
  }

  #refusal(): ServiceError {
    const now = this.#clock.now()
    this.#expected = this.#expected.filter((time) => time > now)
    const before = this.#waiting.size + this.#expected.length
    const ages = [...this.#running].map(({ begun }) => now - begun)
    // A slow request counts before it has ended.
    const age = ages.reduce((sum, one) => sum + one, 0) / Math.max(ages.length, 1)
    const length = Math.max(this.#averageMs ?? EXPECTED_MS, age)
    const seconds = Math.ceil((length * (before + 1)) / Math.max(this.#max, 1) / 1000)
    const retryAfterSeconds = Math.min(Math.max(seconds, 1), MAX_RETRY_SECONDS)
    // Nobody comes later than these.
    if (retryAfterSeconds < MAX_RETRY_SECONDS) this.#expected.push(now + 1000 * retryAfterSeconds)
    const message = `This account has ${this.#max} requests in flight, its limit: retry when one has ended`
    return new ServiceError(429, 'too_many_requests', message, { retryAfterSeconds })
  }
}
