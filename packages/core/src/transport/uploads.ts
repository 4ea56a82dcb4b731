import { ConfigurationError } from '../errors/configuration-error.ts'
import { InvalidRequestError } from '../errors/invalid-request-error.ts'
import { MAX_FILE_BYTES } from '../wire/limits.ts'
import { leavable } from './leavable.ts'
import { tooLarge } from './upload-reader.ts'

/** Bytes as they come: a web stream, a Node stream, an async generator. */
export type UploadStream = AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>

/** Bytes to upload, or the way to them. A `string` is always a path on this machine. */
export type UploadData = string | Blob | Uint8Array | (() => UploadStream)

/** Bytes to upload with what the service should know about them. */
export interface UploadFile {
  readonly data: UploadData
  /** File name. @default the path's last part, the `File`'s name, or `audio` */
  readonly name?: string
  /** MIME type. @default the `Blob`'s type, or `application/octet-stream` */
  readonly type?: string
  /** Exact size in bytes of a `() => stream`: without it the upload is sent chunked. Others know their own. */
  readonly size?: number
}

/** What an upload can be made of. A stream is given as a function, so that it can be opened again. */
export type UploadSource = UploadData | UploadFile

/** How far an upload is. */
export interface UploadProgress {
  /** Bytes of the whole body that were handed to the connection; it starts again when the request is tried again. */
  readonly sentBytes: number
  /** Bytes of the whole body, where they are known. */
  readonly totalBytes: number | undefined
}

/** An upload ready to be sent. */
export interface OpenedUpload {
  readonly name: string
  readonly type: string
  readonly size: number | undefined
  open(): AsyncIterable<Uint8Array>
}

/** An upload whose name, type and size are in order. */
export interface CheckedUpload extends OpenedUpload {
  /** Where it is cut off with an error, in bytes: a size may be unknown until then. */
  readonly maxBytes: number
}

/** What uploads need to know of their client. */
export interface UploadContext {
  readonly files?: FileAccess | undefined
  /** Largest upload, in bytes. @default 536870912 (512 MB) */
  readonly maxUploadBytes?: number | undefined
}

/** A file that is being written. Nothing shows under its name before {@link FileSink.commit}. */
export interface FileSink {
  write(bytes: Uint8Array): Promise<void>
  /** Overwrites the first bytes, for headers that need the final size. */
  writeStart(bytes: Uint8Array): Promise<void>
  commit(): Promise<void>
  discard(): Promise<void>
}

/** Access to files on this machine; absent where there are none. */
export interface FileAccess {
  /**
   * Opens a file for upload.
   * @throws InvalidRequestError when it is missing, unreadable or no file.
   */
  open(path: string, param: string): Promise<OpenedUpload>
  /**
   * Begins a file.
   * @throws InvalidRequestError when its folder is missing or cannot be written
   */
  create(path: string): Promise<FileSink>
}

/**
 * Makes a source ready: knows its name, type and size, opens nothing yet.
 * @param param The field it belongs to, for errors.
 * @throws InvalidRequestError when it is none of {@link UploadSource}, a path that cannot be read, or known to be larger
 *   than the limit.
 * @throws ConfigurationError for a path where this client has no access to files.
 */
export async function openUpload(
  source: UploadSource,
  param: string,
  { files, maxUploadBytes = MAX_FILE_BYTES }: UploadContext = {},
): Promise<CheckedUpload> {
  const given: UploadFile = isUploadFile(source) ? source : { data: source }
  const opened = await openData(given, param, files)
  const { name = opened.name, type = opened.type } = given
  // A line break would end the part's header, and what follows would be read as another.
  if (!/^[\u0020-\u007E]+$/.test(type)) throw new InvalidRequestError('invalid_type', param, 'its type is no MIME type')
  if (opened.size !== undefined && !(Number.isSafeInteger(opened.size) && opened.size >= 0)) {
    throw new InvalidRequestError('invalid_type', param, 'its size must be a whole number of bytes')
  }
  if (opened.size !== undefined && opened.size > maxUploadBytes) throw tooLarge(param, maxUploadBytes)
  return { ...opened, name, type, maxBytes: maxUploadBytes }
}

async function openData({ data, size }: UploadFile, param: string, files?: FileAccess): Promise<OpenedUpload> {
  const type = 'application/octet-stream'
  if (typeof data === 'string') {
    if (files === undefined) {
      throw new ConfigurationError(`${param} is a path, but this client has no access to files: pass a Blob or bytes`)
    }
    return files.open(data, param)
  }
  if (data instanceof Uint8Array) return { name: 'audio', type, size: data.byteLength, open: () => once(data) }
  if (data instanceof Blob) {
    const name = 'name' in data && typeof data.name === 'string' && data.name !== '' ? data.name : 'audio'
    return { name, type: data.type || type, size: data.size, open: () => iterate(data.stream(), param) }
  }
  if (typeof data === 'function') return { name: 'audio', type, size, open: () => iterate(data(), param) }
  throw new InvalidRequestError(
    'invalid_type',
    param,
    'must be a path, a Blob, a Uint8Array or a function that opens a stream; wrap a stream as () => stream',
  )
}

function isUploadFile(source: UploadSource): source is UploadFile {
  return typeof source === 'object' && source !== null && 'data' in source && !(source instanceof Blob)
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes
}

/**
 * Iterates a stream; a web stream also where it is not iterable itself (Safari). Leaving early ends the stream at once,
 * a read that is waiting for it included.
 *
 * @param param The field it belongs to, for errors.
 * @throws InvalidRequestError when it is no stream
 */
export function iterate(stream: UploadStream, param: string): AsyncGenerator<Uint8Array, void, undefined> {
  // Whoever has no types may have returned nothing, a promise or an array.
  if (typeof stream === 'object' && stream !== null) {
    if ('getReader' in stream) return iterateWeb(stream)
    if (Symbol.asyncIterator in stream) return iterateAny(stream)
  }
  throw new InvalidRequestError('invalid_type', param, 'its function must return a web stream or an async iterable')
}

function iterateAny(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  async function* chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    yield* stream
  }
  return leavable(chunks(), () => {
    // Only a Node stream can be ended while it waits; a generator of the caller's notes it when it goes on.
    if ('destroy' in stream && typeof stream.destroy === 'function') stream.destroy()
  })
}

function iterateWeb(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = stream.getReader()
  async function* chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  }
  return leavable(chunks(), () => void reader.cancel().catch(() => {}))
}
