import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { FastifyRequest } from 'fastify'
import { invalid } from '../domain/service-error.ts'
import type { Idempotency } from '../ports/task-store.ts'

/** Visible ASCII, so that a key is the same on every way here. */
const KEY = /^[\u0021-\u007E]{1,255}$/

/**
 * The `Idempotency-Key` of a request with a hash of all it says: where it goes, its fields in any order, and its file.
 * @param filePath The uploaded file, if there is one.
 * @throws ServiceError 400 `invalid_idempotency_key`
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
  const hash = createHash('sha256').update(`${request.routeOptions.url ?? ''}\n${JSON.stringify(body, sorted)}\n`)
  if (filePath !== undefined) for await (const chunk of createReadStream(filePath)) hash.update(chunk)
  return { key, fingerprint: hash.digest('hex') }
}

/** For `JSON.stringify`: the fields of every object in the order of their names. */
function sorted(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
}
