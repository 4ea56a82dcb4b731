import { createHash } from 'node:crypto'
import type { S3Client } from '@aws-sdk/client-s3'
import { ObjectStoreUnavailableError } from '../../domain/errors.ts'
import { loadOptional } from '../load-optional.ts'

/** Where the objects of a cluster are. */
export interface S3Options {
  readonly bucket: string
  /** Address of a service that speaks S3. @default Amazon's of the region */
  readonly endpoint?: string | undefined
  /** @default `us-east-1` with an endpoint; else the region of the environment, as Amazon's programs find it */
  readonly region?: string | undefined
}

/** Longest wait for a connection and for the next byte, in milliseconds. */
const CONNECT_MS = 5000
const SILENCE_MS = 15_000

/** Makes a client. It finds credentials as all of Amazon's programs do: variables, profile, role of the machine. */
export async function createS3Client({ endpoint, region }: S3Options): Promise<S3Client> {
  const { S3Client: Client } = await loadOptional('@aws-sdk/client-s3', 'S3_BUCKET', () => import('@aws-sdk/client-s3'))
  const place = region ?? (endpoint === undefined ? undefined : 'us-east-1')
  const client = new Client({
    ...(place === undefined ? {} : { region: place }),
    // Other services seldom have a host name for each bucket.
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    // Other services do not know Amazon's newer checksums. TLS protects the bytes on their way.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: SILENCE_MS },
  })
  ignoreFailedAborts(client)
  checkDeletes(client)
  return client
}

/**
 * A call that deletes many objects needs a checksum. The client sends one of Amazon's newer ones, which other services
 * do not know. All know MD5.
 */
function checkDeletes({ middlewareStack }: S3Client): void {
  middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const { request } = args
        if (commandName !== 'DeleteObjectsCommand' || !isRequest(request)) return next(args)
        for (const name of Object.keys(request.headers)) {
          if (/^x-amz-(?:sdk-)?checksum-/i.test(name)) delete request.headers[name]
        }
        request.headers['content-md5'] = createHash('md5').update(request.body).digest('base64')
        return next(args)
      },
    { step: 'build', priority: 'low', name: 'checkDeletes' },
  )
}

/** An HTTP request with a body of text, as a call that deletes many objects is. */
function isRequest(request: unknown): request is { headers: Record<string, string>; body: string } {
  return (
    typeof request === 'object' &&
    request !== null &&
    'headers' in request &&
    'body' in request &&
    typeof request.body === 'string'
  )
}

/**
 * A failed upload aborts itself. Its own error says more than that of a failed abort, which would replace it. The
 * bucket's lifecycle rule removes the parts that stay.
 */
function ignoreFailedAborts({ middlewareStack }: S3Client): void {
  middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        try {
          return await next(args)
        } catch (error) {
          if (commandName !== 'AbortMultipartUploadCommand') throw error
          return { response: undefined, output: { $metadata: {} } }
        }
      },
    { step: 'initialize', name: 'ignoreFailedAborts' },
  )
}

/** Errors that name a mistake of this program. */
const MISTAKES: ReadonlySet<string> = new Set(['RangeError', 'TypeError'])

/**
 * Returns ObjectStoreUnavailableError for every error of the client, and a mistake of this program unchanged. A store
 * that refuses this process (expired credentials, a role without rights) is as useless to it as one that does not
 * answer, and says as little about the task in work.
 */
export function unavailableOf(error: unknown): unknown {
  if (error instanceof ObjectStoreUnavailableError || !(error instanceof Error) || MISTAKES.has(error.name))
    return error
  return new ObjectStoreUnavailableError({ cause: error }, describeFailure(error))
}

/** Says what is wrong with the store, or `undefined` for one that cannot be reached. */
function describeFailure(error: Error): string | undefined {
  const status = statusOf(error)
  if (status === undefined) return undefined
  const store = 'The object store of S3_BUCKET'
  // The client reports an error in the body of 200 as 503.
  if (status === 503 && error.name === 'InternalError') return `${ERROR_IN_200}: ${error.name}`
  if (status >= 300 && status < 400) {
    const region = regionOf(error)
    const named = region === undefined ? 'its region' : region
    return `${store} answers that the bucket is elsewhere (${status}): set S3_REGION to ${named}, and S3_ENDPOINT to its address`
  }
  if (status === 408 || status === 429 || error.name === 'SlowDown')
    return `${store} is overloaded: ${error.name} (${status})`
  if (status >= 400 && status < 500) return `${store} refuses this process: ${error.name} (${status})`
  return status >= 500
    ? `${store} has an error of its own: ${error.name} (${status})`
    : `${ERROR_IN_200}: ${error.name}`
}

/** The message for a store that answers 200 to a call that has failed. */
export const ERROR_IN_200 = 'The object store of S3_BUCKET answers 200 with an error in the body'

/** Whether the store says that it does not have an object. */
export function isNotFound(error: unknown): boolean {
  return error instanceof Error && (error.name === 'NoSuchKey' || error.name === 'NotFound')
}

/** The region that a store names for a bucket that is elsewhere. */
function regionOf(error: Error): string | undefined {
  const response: unknown = '$response' in error ? error.$response : undefined
  if (typeof response !== 'object' || response === null || !('headers' in response)) return undefined
  const { headers } = response
  if (typeof headers !== 'object' || headers === null || !('x-amz-bucket-region' in headers)) return undefined
  const region: unknown = headers['x-amz-bucket-region']
  return typeof region === 'string' ? region : undefined
}

/** Whether the store does not have a call: not every store deletes many objects at once. */
export function isUnknownCall(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const status = statusOf(error)
  return error.name === 'NotImplemented' || error.name === 'MethodNotAllowed' || status === 501 || status === 405
}

/**
 * Whether the store refuses to delete one object: it is locked or on hold, or this process has no right to it. Other
 * objects may still be deleted.
 */
export function isRefusedDelete(error: unknown): boolean {
  return error instanceof Error && REFUSED_DELETES.has(error.name)
}

const REFUSED_DELETES: ReadonlySet<string> = new Set([
  'AccessDenied',
  'Forbidden',
  'InvalidObjectState',
  'ObjectLocked',
])

function statusOf(error: Error): number | undefined {
  const metadata: unknown = '$metadata' in error ? error.$metadata : undefined
  if (typeof metadata !== 'object' || metadata === null || !('httpStatusCode' in metadata)) return undefined
  return typeof metadata.httpStatusCode === 'number' ? metadata.httpStatusCode : undefined
}

/** Waits for the client. @throws ObjectStoreUnavailableError for an error of the client */
export async function orUnavailable<T>(response: Promise<T>): Promise<T> {
  try {
    return await response
  } catch (error) {
    throw unavailableOf(error)
  }
}
