import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { invalid } from '../domain/service-error.ts'
import { whenResponseEnds } from './response-end.ts'
import type { Idempotency, IdempotencyContext, KeysInFlight } from '../ports/response-store.ts'

/** Visible ASCII. Every client and proxy passes such a key unchanged. */
const KEY = /^[\u0021-\u007E]{1,255}$/

/** Returns the `Idempotency-Key` as sent, unchecked, or `undefined`. */
export function keyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key']
  return typeof key === 'string' ? key : undefined
}

/**
 * Reads the `Idempotency-Key` of a request and hashes its content: the path, the fields in any order, and the file.
 * @param filePath Path of the uploaded file, if any.
 * @throws ServiceError 400 `invalid_idempotency_key`; 400 `invalid_json` for a body that is nested too deeply
 */
export async function idempotencyOf(
  request: FastifyRequest,
  body: object,
  filePath?: string,
): Promise<Idempotency | undefined> {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !KEY.test(key)) {
    throw invalid('invalid_idempotency_key', 'Idempotency-Key', 'Idempotency-Key must be 1 to 255 visible characters')
  }
  if (!isShallow(body)) {
    throw invalid('invalid_json', 'body', `The body must not nest objects and arrays deeper than ${MAX_DEPTH} levels`)
  }
  const hash = createHash('sha256').update(`${request.routeOptions.url ?? ''}\n${JSON.stringify(body, sorted)}\n`)
  if (filePath !== undefined) for await (const chunk of createReadStream(filePath)) hash.update(chunk)
  return { key, fingerprint: hash.digest('hex') }
}

/**
 * Holds a key, if any, until the whole response is sent or the client disconnects.
 * @throws ServiceError 409 `idempotency_in_progress`; 409 `idempotency_conflict`
 */
export async function holdKey(
  reply: FastifyReply,
  keys: KeysInFlight,
  { tenant, idempotency }: IdempotencyContext,
): Promise<void> {
  if (idempotency === undefined) return
  const release = await keys.take(tenant, idempotency)
  whenResponseEnds(reply, release)
}

/** Deepest body that can be hashed. The interface's bodies have 4 levels. `JSON.stringify` overflows near 5,000. */
const MAX_DEPTH = 100

/** Whether a JSON value has at most {@link MAX_DEPTH} levels. Works level by level, so no depth overflows the stack. */
function isShallow(body: object): boolean {
  let level: readonly object[] = [body]
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth += 1) {
    level = level.flatMap((value) =>
      Object.values(value).filter((inner) => typeof inner === 'object' && inner !== null),
    )
  }
  return level.length === 0
}

/** A replacer for `JSON.stringify`: sorts the fields of every object by name. */
function sorted(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
}
