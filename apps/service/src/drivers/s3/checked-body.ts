import { createHash } from 'node:crypto'
import { DamagedObjectError, ObjectStoreUnavailableError } from '../../domain/errors.ts'

/** What the bytes of an object must be. */
export interface ExpectedBytes {
  readonly name: string
  /** Length of the body. @default unknown */
  readonly bytes?: number | undefined
  /** SHA-256 of the body, in hexadecimal. @default unknown, as for a part */
  readonly sha256?: string | undefined
}

/**
 * Reads the body of a response, and compares it with what was stored.
 * @throws ObjectStoreUnavailableError when the connection is cut or the body has another length; DamagedObjectError after
 * the last byte when the checksum differs
 */
export async function* checkedBody(
  body: AsyncIterable<Uint8Array>,
  { name, bytes, sha256 }: ExpectedBytes,
): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = sha256 === undefined ? undefined : createHash('sha256')
  let read = 0
  try {
    for await (const chunk of body) {
      read += chunk.byteLength
      hash?.update(chunk)
      yield chunk
    }
  } catch (error) {
    throw new ObjectStoreUnavailableError({ cause: error })
  }
  if (bytes !== undefined && read !== bytes) {
    throw new ObjectStoreUnavailableError(
      undefined,
      `The object store sent ${read} bytes of ${name} instead of ${bytes}`,
    )
  }
  if (hash !== undefined && hash.digest('hex') !== sha256) throw new DamagedObjectError(name)
}
