import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { GetObjectCommandOutput, S3Client } from '@aws-sdk/client-s3'
import { DamagedObjectError, ObjectStoreUnavailableError } from '../../domain/errors.ts'
import { type ListedObject, OBJECT_NAME, type ObjectStore, type StoredBytes } from '../../ports/object-store.ts'
import type { ScratchSpace } from '../../ports/disk.ts'
import { loadOptional } from '../load-optional.ts'
import { ERROR_IN_200, isNotFound, isRefusedDelete, isUnknownCall, orUnavailable, unavailableOf } from './client.ts'

/** Options of {@link createS3ObjectStore}. */
export interface S3ObjectStoreOptions {
  readonly client: S3Client
  readonly bucket: string
  /** Beginning of the keys of all objects, with a slash at the end. */
  readonly prefix: string
  /** Space for objects that a program needs as files. */
  readonly scratch: ScratchSpace
}

/** Bytes of a part of a large object. S3 takes 10,000 parts of 5 MiB or more. Two parts are in memory at a time. */
const PART_BYTES = 8 * 1024 * 1024
const PARTS = { partSize: PART_BYTES, queueSize: 2 }

/** Name of the metadata of an object that holds its SHA-256, in hexadecimal. */
const CHECKSUM = 'sha256'

/** Reads of an object whose bytes are not those that were stored. */
const MOST_READS = 3

/** Lifetime of a direct address, in seconds: for a player that reads part by part. */
const DIRECT_SECONDS = 3600

/**
 * Stores objects in a bucket. S3 stores an object completely or not at all, and keeps it once it has answered. Each
 * object carries the SHA-256 of its bytes, which every read of the whole object checks. Every method throws
 * ObjectStoreUnavailableError while S3 does not answer or refuses this process. Reads throw DamagedObjectError for
 * bytes that were not stored.
 */
export async function createS3ObjectStore(options: S3ObjectStoreOptions): Promise<ObjectStore> {
  const { client, bucket: Bucket, prefix, scratch } = options
  const [s3, { getSignedUrl }] = await Promise.all([
    loadOptional('@aws-sdk/client-s3', 'S3_BUCKET', () => import('@aws-sdk/client-s3')),
    loadOptional('@aws-sdk/s3-request-presigner', 'S3_BUCKET', () => import('@aws-sdk/s3-request-presigner')),
  ])
  const at = (name: string) => {
    if (!OBJECT_NAME.test(name)) throw new RangeError(`Invalid object name: ${JSON.stringify(name)}`)
    return { Bucket, Key: prefix + name }
  }
  const upload = await createUpload(client)
  const open = async (name: string, Range?: string): Promise<GetObjectCommandOutput | undefined> => {
    if (!OBJECT_NAME.test(name)) return undefined
    return found(client.send(new s3.GetObjectCommand({ ...at(name), ...(Range === undefined ? {} : { Range }) })))
  }
  const remove = await createDelete(client, Bucket)
  return {
    async put(name, source) {
      const where = at(name)
      // The checksum must be known before the first byte goes out.
      return scratch.withPath(async (path) => {
        await pipeline(Readable.from(source, { objectMode: false }), createWriteStream(path, { mode: 0o600 }))
        return upload(where, path)
      })
    },
    async putFile(name, path) {
      const stored = await upload(at(name), path)
      await rm(path)
      return stored
    },
    sizeOfFile: async (path) => (await stat(path)).size,
    withFile: (name, use, known) =>
      scratch.withPath(async (path) =>
        (await fetchTo(() => open(name), { name, path, known })) ? use(path) : undefined,
      ),
    async stat(name) {
      if (!OBJECT_NAME.test(name)) return undefined
      const info = await found(client.send(new s3.HeadObjectCommand(at(name))))
      if (info !== undefined) requireTag(info)
      return info && { bytes: info.ContentLength ?? 0, storedAt: info.LastModified?.getTime() ?? 0 }
    },
    async open(name, part, known) {
      const object = await open(name, part && `bytes=${part.start}-${part.end}`)
      if (object === undefined) return undefined
      const whole = /\/(?<bytes>\d+)$/.exec(object.ContentRange ?? '')?.groups?.['bytes']
      return {
        bytes: Number(whole ?? object.ContentLength ?? 0),
        stream: Readable.from(checkedObject(object, name, known), { objectMode: false }),
      }
    },
    async delete(name) {
      const [refused] = await remove([at(name).Key])
      if (refused !== undefined) throw new ObjectStoreUnavailableError(undefined, `${REFUSAL} to delete ${name}`)
    },
    async deleteAll(names) {
      const keys = await remove(names.map((name) => at(name).Key))
      return keys.map((key) => key.slice(prefix.length))
    },
    list: () => listObjects(client, s3.paginateListObjectsV2, { Bucket, prefix }),
    direct: {
      directUrl: (name, contentType) => {
        const response = { ResponseContentType: contentType, ResponseContentDisposition: `inline; filename="${name}"` }
        return getSignedUrl(client, new s3.GetObjectCommand({ ...at(name), ...response }), {
          expiresIn: DIRECT_SECONDS,
        })
      },
    },
  }
}

/** Lists the objects below a prefix. @throws ObjectStoreUnavailableError */
async function* listObjects(
  client: S3Client,
  paginate: typeof import('@aws-sdk/client-s3').paginateListObjectsV2,
  { Bucket, prefix }: { readonly Bucket: string; readonly prefix: string },
): AsyncGenerator<ListedObject, void, undefined> {
  const pages = paginate({ client }, { Bucket, Prefix: prefix })
  for (;;) {
    const { value: page } = await orUnavailable(pages.next())
    if (page === undefined) return
    for (const { Key = '', LastModified } of page.Contents ?? []) {
      const name = Key.slice(prefix.length)
      if (OBJECT_NAME.test(name)) yield { name, storedAt: LastModified?.getTime() ?? 0 }
    }
  }
}

/** Uploads a file of this machine with its checksum. */
type UploadFile = (where: { readonly Bucket: string; readonly Key: string }, path: string) => Promise<StoredBytes>

async function createUpload(client: S3Client): Promise<UploadFile> {
  const { Upload } = await loadOptional('@aws-sdk/lib-storage', 'S3_BUCKET', () => import('@aws-sdk/lib-storage'))
  return async (where, path) => {
    const sha256 = await sha256Of(path)
    const { size: bytes } = await stat(path)
    const body = createReadStream(path)
    const params = { ...where, Metadata: { [CHECKSUM]: sha256 }, Body: body }
    try {
      requireTag(await orUnavailable(new Upload({ client, params, ...PARTS }).done()))
    } finally {
      body.destroy()
    }
    return { bytes, sha256 }
  }
}

/**
 * Reads an object into a file. Reads damaged bytes again.
 * @returns `false` when the object does not exist
 * @throws DamagedObjectError after the last read
 */
async function fetchTo(
  open: () => Promise<GetObjectCommandOutput | undefined>,
  { name, path, known }: { readonly name: string; readonly path: string; readonly known: StoredBytes | undefined },
): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    const object = await open()
    if (object === undefined) return false
    try {
      await pipeline(checkedObject(object, name, known), createWriteStream(path, { mode: 0o600 }))
      return true
    } catch (error) {
      if (!(error instanceof DamagedObjectError) || attempt === MOST_READS) throw error
    }
  }
}

/** The bytes of a response. @throws What {@link expected} and {@link checkedBody} throw */
function checkedObject(
  object: GetObjectCommandOutput,
  name: string,
  known: StoredBytes | undefined,
): AsyncIterable<Uint8Array> {
  const body = bodyOf(object)
  try {
    return checkedBody(body, expected(name, object, known))
  } catch (error) {
    // Its connection is free for another call.
    body.destroy()
    throw error
  }
}

/**
 * What the body of a response must be. A part has no checksum. Without a known one, that of the metadata counts, which not
 * every store keeps.
 * @throws DamagedObjectError for a whole object of another length; ObjectStoreUnavailableError for an error
 */
function expected(
  name: string,
  { ContentLength, ContentRange, ETag, Metadata }: GetObjectCommandOutput,
  known?: StoredBytes,
): ExpectedBytes {
  requireTag({ ETag })
  if (ContentRange !== undefined) return { name, bytes: ContentLength }
  if (known !== undefined && ContentLength !== undefined && ContentLength !== known.bytes) {
    throw new DamagedObjectError(name)
  }
  return { name, bytes: known?.bytes ?? ContentLength, sha256: known?.sha256 ?? Metadata?.[CHECKSUM] }
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

/** The response about an object, or `undefined` when no object has that name. @throws ObjectStoreUnavailableError */
async function found<T>(response: Promise<T>): Promise<T | undefined> {
  try {
    return await response
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw unavailableOf(error)
  }
}

function bodyOf({ Body }: GetObjectCommandOutput): Readable {
  if (Body instanceof Readable) return Body
  throw new TypeError('The object store answered without a body')
}

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

const REFUSAL = 'The object store of S3_BUCKET refuses'

/** Every stored object has a tag. Some stores answer 200 with an error in the body, which the client does not read. */
function requireTag({ ETag }: { readonly ETag?: string | undefined }): void {
  if (ETag === undefined) throw new ObjectStoreUnavailableError(undefined, ERROR_IN_200)
}

/** Maximum objects of a call. */
const BATCH = 1000

/** Deletes objects by their keys. @returns The keys that the store refuses to delete. @throws ObjectStoreUnavailableError */
export type DeleteKeys = (keys: readonly string[]) => Promise<readonly string[]>

/** Deletes many objects in one call. A store that does not have that call gets one for each object. */
export async function createDelete(client: S3Client, Bucket: string): Promise<DeleteKeys> {
  const s3 = await loadOptional('@aws-sdk/client-s3', 'S3_BUCKET', () => import('@aws-sdk/client-s3'))
  const one = async (Key: string): Promise<readonly string[]> => {
    try {
      await client.send(new s3.DeleteObjectCommand({ Bucket, Key }))
      return []
    } catch (error) {
      if (isRefusedDelete(error)) return [Key]
      if (!isNotFound(error)) throw unavailableOf(error)
      // Some stores answer so for an object that is gone. One that the store has after all keeps its row.
      return (await found(client.send(new s3.HeadObjectCommand({ Bucket, Key })))) === undefined ? [] : [Key]
    }
  }
  const many = async (keys: readonly string[]): Promise<readonly string[] | undefined> => {
    const Delete = { Objects: keys.map((Key) => ({ Key })), Quiet: true }
    try {
      const { Errors = [] } = await client.send(new s3.DeleteObjectsCommand({ Bucket, Delete }))
      return Errors.flatMap(({ Key }) => (Key === undefined ? [] : [Key]))
    } catch (error) {
      if (isUnknownCall(error)) return undefined
      throw unavailableOf(error)
    }
  }
  return async (keys) => {
    const refused: string[] = []
    for (let first = 0; first < keys.length; first += BATCH) {
      const batch = keys.slice(first, first + BATCH)
      const answered = batch.length > 1 ? await many(batch) : undefined
      if (answered !== undefined) refused.push(...answered)
      else for (const key of batch) refused.push(...(await one(key)))
    }
    return refused
  }
}
