import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { UsageError } from '../usage-error.ts'
import type { ObjectStore } from '../../ports/object-store.ts'

/** What {@link copyObjects} has found and done. */
export interface CopiedObjects {
  readonly count: number
  readonly bytes: number
  /** Objects that an earlier import has stored. */
  readonly before: number
}

/**
 * Copies the objects that the target does not have yet, and compares the SHA-256 of every object with that of its copy,
 * read back from the target.
 * @throws UsageError when a copy differs
 */
export async function copyObjects(source: ObjectStore, target: ObjectStore): Promise<CopiedObjects> {
  let count = 0
  let bytes = 0
  let before = 0
  for await (const { name } of source.list()) {
    const wanted = await hashOf(source, name)
    if (wanted === undefined) continue
    const known = await target.stat(name)
    if (known !== undefined && (await hashOf(target, name))?.hash === wanted.hash) before += 1
    else await copy(source, target, { name, hash: wanted.hash })
    count += 1
    bytes += wanted.bytes
  }
  return { count, bytes, before }
}

async function copy(
  source: ObjectStore,
  target: ObjectStore,
  { name, hash }: { readonly name: string; readonly hash: string },
): Promise<void> {
  const object = await source.open(name)
  if (object === undefined) throw new UsageError(`The object ${name} was deleted during the import: repeat it`)
  await target.put(name, object.stream)
  if ((await hashOf(target, name))?.hash === hash) return
  await target.delete(name)
  throw new UsageError(`The copy of the object ${name} differs: repeat the import`)
}

async function hashOf(
  store: ObjectStore,
  name: string,
): Promise<{ readonly hash: string; readonly bytes: number } | undefined> {
  const object = await store.open(name)
  if (object === undefined) return undefined
  const hash = createHash('sha256')
  await pipeline(object.stream, hash)
  return { hash: hash.digest('hex'), bytes: object.bytes }
}
