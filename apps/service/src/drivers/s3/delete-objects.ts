import type { S3Client } from '@aws-sdk/client-s3'
import { loadOptional } from '../load-optional.ts'
import { isUnknownCall, orUnavailable, unavailableOf } from './unavailable.ts'

/** Maximum objects of a call. */
const BATCH = 1000

/** Deletes objects by their keys. @throws ObjectStoreUnavailableError */
export type DeleteKeys = (keys: readonly string[]) => Promise<void>

/** Deletes many objects in one call. A store that does not have that call gets one for each object. */
export async function createDelete(client: S3Client, Bucket: string): Promise<DeleteKeys> {
  const s3 = await loadOptional('@aws-sdk/client-s3', 'S3_BUCKET', () => import('@aws-sdk/client-s3'))
  const one = (Key: string): Promise<unknown> => orUnavailable(client.send(new s3.DeleteObjectCommand({ Bucket, Key })))
  const many = async (keys: readonly string[]): Promise<void> => {
    const Delete = { Objects: keys.map((Key) => ({ Key })), Quiet: true }
    const { Errors = [] } = await client.send(new s3.DeleteObjectsCommand({ Bucket, Delete }))
    const [first] = Errors
    if (first !== undefined) throw new Error(`${first.Code} for ${Errors.length} of ${keys.length} objects`)
  }
  return async (keys) => {
    for (let first = 0; first < keys.length; first += BATCH) {
      const batch = keys.slice(first, first + BATCH)
      const isDone = batch.length > 1 && (await isDeleted(many(batch)))
      if (!isDone) for (const key of batch) await one(key)
    }
  }
}

/** @returns `false` when the store does not have the call. @throws ObjectStoreUnavailableError */
async function isDeleted(call: Promise<void>): Promise<boolean> {
  try {
    await call
    return true
  } catch (error) {
    if (isUnknownCall(error)) return false
    throw unavailableOf(error)
  }
}
