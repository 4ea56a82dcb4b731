import { createReadStream, createWriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { GetObjectCommandOutput, S3Client } from '@aws-sdk/client-s3'
import { OBJECT_NAME, type ObjectStore } from '../../ports/object-store.ts'
import type { ScratchSpace } from '../../ports/scratch-space.ts'
import { loadOptional } from '../load-optional.ts'
import { bodyOrOutage, orOutage, outageOf } from './outage.ts'

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

/** Lifetime of a direct address, in seconds: for a player that reads part by part. */
const DIRECT_SECONDS = 3600

/**
 * Stores objects in a bucket. S3 stores an object completely or not at all, and keeps it once it has answered. Every
 * method throws ObjectStoreUnavailableError while S3 does not answer.
 */
export async function createS3ObjectStore(options: S3ObjectStoreOptions): Promise<ObjectStore> {
  const { client, bucket: Bucket, prefix, scratch } = options
  const [s3, { Upload }, { getSignedUrl }] = await Promise.all([
    loadOptional('@aws-sdk/client-s3', 'S3_BUCKET', () => import('@aws-sdk/client-s3')),
    loadOptional('@aws-sdk/lib-storage', 'S3_BUCKET', () => import('@aws-sdk/lib-storage')),
    loadOptional('@aws-sdk/s3-request-presigner', 'S3_BUCKET', () => import('@aws-sdk/s3-request-presigner')),
  ])
  const at = (name: string) => {
    if (!OBJECT_NAME.test(name)) throw new RangeError(`Invalid object name: ${JSON.stringify(name)}`)
    return { Bucket, Key: prefix + name }
  }
  const upload = (name: string, source: AsyncIterable<Uint8Array>): Promise<{ readonly bytes: number }> =>
    sendParts((Body) => new Upload({ client, params: { ...at(name), Body }, ...PARTS }), source)
  const open = async (name: string, Range?: string): Promise<GetObjectCommandOutput | undefined> => {
    if (!OBJECT_NAME.test(name)) return undefined
    return found(client.send(new s3.GetObjectCommand({ ...at(name), ...(Range === undefined ? {} : { Range }) })))
  }
  return {
    put: (name, source) => upload(name, source),
    async putFile(name, path) {
      const { size } = await stat(path)
      await upload(name, createReadStream(path))
      await rm(path)
      return { bytes: size }
    },
    sizeOfFile: async (path) => (await stat(path)).size,
    async withFile(name, use) {
      const object = await open(name)
      if (object === undefined) return undefined
      return scratch.withPath(async (path) => {
        await pipeline(bodyOrOutage(bodyOf(object)), createWriteStream(path, { mode: 0o600 }))
        return use(path)
      })
    },
    async stat(name) {
      if (!OBJECT_NAME.test(name)) return undefined
      const info = await found(client.send(new s3.HeadObjectCommand(at(name))))
      return info && { bytes: info.ContentLength ?? 0, storedAt: info.LastModified?.getTime() ?? 0 }
    },
    async open(name, part) {
      const object = await open(name, part && `bytes=${part.start}-${part.end}`)
      if (object === undefined) return undefined
      const whole = /\/(?<bytes>\d+)$/.exec(object.ContentRange ?? '')?.groups?.['bytes']
      return {
        bytes: Number(whole ?? object.ContentLength ?? 0),
        stream: Readable.from(bodyOrOutage(bodyOf(object)), { objectMode: false }),
      }
    },
    async delete(name) {
      await orOutage(client.send(new s3.DeleteObjectCommand(at(name))))
    },
    async *list() {
      const pages = s3.paginateListObjectsV2({ client }, { Bucket, Prefix: prefix })
      for (;;) {
        const { value: page } = await orOutage(pages.next())
        if (page === undefined) return
        for (const { Key = '', LastModified } of page.Contents ?? []) {
          const name = Key.slice(prefix.length)
          if (OBJECT_NAME.test(name)) yield { name, storedAt: LastModified?.getTime() ?? 0 }
        }
      }
    },
    direct: {
      directUrl: (name, contentType) => {
        const answer = { ResponseContentType: contentType, ResponseContentDisposition: `inline; filename="${name}"` }
        return getSignedUrl(client, new s3.GetObjectCommand({ ...at(name), ...answer }), { expiresIn: DIRECT_SECONDS })
      },
    },
  }
}

/** What an upload has read of its source. */
interface Progress {
  bytes: number
  failure?: { readonly error: unknown }
}

/** Notes what is read. An abort of the reader is no failure of the source, so only reads are watched. */
async function* observed(
  source: AsyncIterable<Uint8Array>,
  progress: Progress,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = source[Symbol.asyncIterator]()
  const read = async (): Promise<IteratorResult<Uint8Array, unknown>> => {
    try {
      return await reader.next()
    } catch (error) {
      progress.failure = { error }
      throw error
    }
  }
  try {
    for (let result = await read(); result.done !== true; result = await read()) {
      progress.bytes += result.value.byteLength
      yield result.value
    }
  } finally {
    await reader.return?.()
  }
}

/**
 * Uploads a source. A failed upload stops its source.
 * @throws The source's error; ObjectStoreUnavailableError; what the client throws
 */
async function sendParts(
  upload: (body: Readable) => { done(): Promise<unknown> },
  source: AsyncIterable<Uint8Array>,
): Promise<{ readonly bytes: number }> {
  const progress: Progress = { bytes: 0 }
  const body = Readable.from(observed(source, progress), { objectMode: false })
  body.on('error', () => undefined)
  try {
    await upload(body).done()
    return { bytes: progress.bytes }
  } catch (error) {
    throw progress.failure === undefined ? outageOf(error) : progress.failure.error
  } finally {
    body.destroy()
  }
}

/** The answer about an object, or `undefined` when no object has that name. @throws ObjectStoreUnavailableError */
async function found<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof Error && (error.name === 'NoSuchKey' || error.name === 'NotFound')) return undefined
    throw outageOf(error)
  }
}

function bodyOf({ Body }: GetObjectCommandOutput): Readable {
  if (Body instanceof Readable) return Body
  throw new TypeError('The object store answered without a body')
}
