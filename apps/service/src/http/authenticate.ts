import type { FastifyInstance, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import { networkOf } from '../domain/addresses.ts'
import { type Clock, systemClock } from '../domain/clock.ts'
import { ServiceError } from '../domain/service-error.ts'
import type { KeyStore, KnownApiKey } from '../ports/key-store.ts'
import type { AuditTrail } from '../use-cases/audit-trail.ts'
import type { KeyUses, Switches } from '../use-cases/keys.ts'
import { acceptRequest } from './connection.ts'
import { auditRefusedKey } from './records.ts'
import { clientAddress } from './request.ts'
import { isWebSocket } from './upgrades.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Tenant of the key. Empty on routes without a key. */
    tenant: string
    /** Id of the key, as in `keys list`. Empty on routes without a key. */
    keyId: string
  }
}

const BEARER = /^bearer +(?<key>\S+) *$/i

/** Parts of {@link authenticate}. */
export interface AuthenticationParts {
  readonly keys: KeyStore
  readonly failed: FailedKeys
  readonly switches: Switches
  readonly uses: KeyUses | undefined
  readonly audit: AuditTrail | undefined
  /** Whether a request passes without a key, as one of no tenant. A wrong key is still refused. @default none does */
  readonly isOpen?: (request: FastifyRequest) => boolean
}

/**
 * Requires a bearer key on every route of this scope (interface: Authentication). Looks the key up for every request,
 * so a deleted key is refused at once. Runs before the body is read.
 *
 * @param failed Refuses addresses with too many wrong keys.
 */
export function authenticate(app: FastifyInstance, parts: AuthenticationParts): void {
  const { keys, failed, switches, uses, audit, isOpen } = parts
  const refused = (request: FastifyRequest, error: ServiceError): ServiceError => {
    if (audit !== undefined) auditRefusedKey(audit, request, error.status)
    return error
  }
  const admit = (request: FastifyRequest, known: KnownApiKey | undefined): void => {
    const address = clientAddress(request)
    if (known === undefined) {
      failed.fail(address)
      throw refused(request, invalidKey())
    }
    failed.succeed(address, known.id)
    request.tenant = known.tenant
    request.keyId = known.id
    uses?.note(known.id)
    if (switches.isSuspended(known.tenant)) throw refused(request, suspended())
    acceptRequest(request.raw)
    if (switches.draining && (request.method === 'POST' || isWebSocket(request.raw))) {
      const message = 'The service accepts no new work, because its operator drains it'
      throw new ServiceError(503, 'draining', message, { retryAfterSeconds: DRAINING_RETRY_AFTER_SECONDS })
    }
  }
  const admitLater = async (
    request: FastifyRequest,
    looking: Promise<KnownApiKey | undefined>,
    done: HookHandlerDoneFunction,
  ): Promise<void> => {
    try {
      admit(request, await looking)
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)))
      return
    }
    done()
  }
  // An async hook would cost each request two turns of the microtask queue, also for a key that is found at once.
  app.addHook('onRequest', (request, _reply, done) => {
    const key = keyOf(request)
    if (key === undefined && isOpen?.(request) === true && !carriesKey(request)) return done()
    if (key === undefined) throw refused(request, missingKey(request))
    const seconds = failed.waitFor(clientAddress(request), () => keys.idOf(key))
    if (seconds > 0) throw refused(request, tooManyFailures(seconds))
    const found = keys.find(key)
    if (found instanceof Promise) {
      void admitLater(request, found, done)
      return
    }
    admit(request, found)
    done()
  })
}

/**
 * Looks up the key of a connection again that outlives its request.
 * @returns the error that a new request would get, if there is one
 * @throws DatabaseUnavailableError
 */
export async function refusalOfKey(
  { keys, switches }: Pick<AuthenticationParts, 'keys' | 'switches'>,
  request: FastifyRequest,
): Promise<ServiceError | undefined> {
  const known = await keys.find(keyOf(request) ?? '')
  if (known === undefined) return invalidKey()
  return switches.isSuspended(known.tenant) ? suspended() : undefined
}

/** Another machine answers, or the operator ends the maintenance. */
const DRAINING_RETRY_AFTER_SECONDS = 30

/** Headers in which clients of other services send their key. */
const OTHER_KEY_HEADERS = ['api-key', 'x-api-key', 'xi-api-key', 'x-goog-api-key'] as const

/** Names the place where a key came instead. It never repeats the key. */
function missingKey({ headers }: FastifyRequest): ServiceError {
  const given = headers.authorization?.trim() ?? ''
  const scheme = /^\s*(?<scheme>[\w-]{1,20}) +\S/.exec(given)?.groups?.['scheme']
  const other = OTHER_KEY_HEADERS.find((name) => headers[name] !== undefined)
  const found =
    given !== '' && scheme === undefined
      ? 'Authorization has no scheme'
      : scheme !== undefined && scheme.toLowerCase() !== 'bearer'
        ? `Authorization has the scheme ${scheme}`
        : other === undefined
          ? undefined
          : `The key came in the header ${other}`
  const message =
    found === undefined
      ? 'An API key is required: Authorization: Bearer <API_KEY>'
      : `${found}: send Authorization: Bearer <API_KEY>`
  return new ServiceError(401, 'missing_api_key', message)
}

/** Whether a request without a readable key tries to send one. */
function carriesKey({ headers }: FastifyRequest): boolean {
  return (headers.authorization ?? '').trim() !== '' || OTHER_KEY_HEADERS.some((name) => headers[name] !== undefined)
}

function invalidKey(): ServiceError {
  return new ServiceError(401, 'invalid_api_key', 'This API key is unknown, was deleted or has expired')
}

function suspended(): ServiceError {
  return new ServiceError(403, 'tenant_suspended', 'This account is suspended: ask the operator of the service')
}

function tooManyFailures(retryAfterSeconds: number): ServiceError {
  const message = 'Too many wrong API keys came from this address: retry later'
  return new ServiceError(429, 'too_many_failed_keys', message, { retryAfterSeconds })
}

/** The key of a page that opens a WebSocket: it cannot set a header. */
const KEY_PROTOCOL = /(?:^|,)\s*openai-insecure-api-key\.(?<key>[^\s,]+)/

/** Reads the key of a request, known or not: of the header, or of the subprotocols of a WebSocket. */
export function keyOf({ headers }: FastifyRequest): string | undefined {
  const protocols = headers['sec-websocket-protocol']
  if (headers.authorization !== undefined || protocols === undefined) {
    return BEARER.exec(headers.authorization ?? '')?.groups?.['key']
  }
  return KEY_PROTOCOL.exec(protocols)?.groups?.['key']
}

const WINDOW_MS = 60_000

/** Maximum addresses and most pairs of address and key in memory. Beyond that, the oldest is forgotten. */
const MOST_REMEMBERED = 10_000

/**
 * Counts wrong keys by address, and by the first 64 bits of an IPv6 address. After too many in a minute, the address may
 * use only keys that have worked from there before: a guesser learns nothing more, and the clients behind one proxy go
 * on.
 */
export class FailedKeys {
  readonly #max: number
  readonly #clock: Clock
  readonly #failures = new Map<string, { count: number; readonly until: number }>()
  /** Ids of keys by network. */
  readonly #known = new Map<string, Set<string>>()
  #pairs = 0

  /** @param max Most wrong keys of one address per minute. */
  constructor(max: number, clock: Clock = systemClock) {
    this.#max = max
    this.#clock = clock
  }

  /**
   * @param id Gives the id of the key. It is called only after too many wrong keys.
   * @returns Seconds until the address may use this key; 0 when it may now.
   */
  waitFor(address: string, id: () => string): number {
    if (this.#failures.size === 0) return 0
    const network = networkOf(address)
    const failures = this.#failures.get(network)
    if (failures === undefined || failures.count < this.#max) return 0
    const left = failures.until - this.#clock.now()
    if (left <= 0) this.#failures.delete(network)
    return left <= 0 || this.#known.get(network)?.has(id()) === true ? 0 : Math.ceil(left / 1000)
  }

  /** The key of a request was wrong. */
  fail(address: string): void {
    const now = this.#clock.now()
    const network = networkOf(address)
    const before = this.#failures.get(network)
    if (before !== undefined && before.until > now) before.count += 1
    else {
      this.#failures.delete(network)
      this.#failures.set(network, { count: 1, until: now + WINDOW_MS })
      if (this.#failures.size > MOST_REMEMBERED) forgetOldest(this.#failures)
    }
  }

  /** The key of a request was right. Every request calls it, so it makes no text and hashes nothing. */
  succeed(address: string, id: string): void {
    const network = networkOf(address)
    const known = this.#known.get(network)
    if (known?.has(id) === true) return
    if (known === undefined) this.#known.set(network, new Set([id]))
    else known.add(id)
    this.#pairs += 1
    if (this.#pairs > MOST_REMEMBERED) this.#forgetPair()
  }

  /** Forgets the oldest key of the oldest network. */
  #forgetPair(): void {
    for (const [network, ids] of this.#known) {
      forgetOldest(ids)
      if (ids.size === 0) this.#known.delete(network)
      this.#pairs -= 1
      return
    }
  }
}

function forgetOldest(remembered: Map<string, unknown> | Set<string>): void {
  for (const oldest of remembered.keys()) {
    remembered.delete(oldest)
    return
  }
}
