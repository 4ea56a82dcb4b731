import type { PcmFormat } from '../audio/index.ts'
import { isInteger } from '../checks/index.ts'
import { ConfigurationError, InvalidRequestError, NotReplayableError } from '../errors.ts'
import { cancellable, type RequestBody } from '../transport/index.ts'
import { MAX_FILE_BYTES } from '../wire/index.ts'
import { bytesOf, isBlob, openBlob } from './binary.ts'

/** Media type of unknown bytes. */
export const OCTETS = 'application/octet-stream'

/**
 * Bytes to upload. A `string` is always a path on this machine. A bare stream can be sent only once: a retry fails with
 * `NotReplayableError`. If the call fails before the stream is read, the stream stays open. A function that opens a new
 * stream each time has no such limits.
 */
export type UploadData = string | Blob | Uint8Array | UploadStream | (() => UploadStream)

/** A stream of bytes: a web stream, a Node stream or an async generator. */
export type UploadStream = AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>

/** Bytes to upload, with their name, type and size. */
export interface UploadFile {
  /** The bytes: a path, bytes, a `Blob` or a stream. */
  readonly data: UploadData
  /**
   * File name. The client's `nameUpload` corrects a missing extension, and one that contradicts the first bytes of a
   * path, a `Blob` or bytes. A stream is not inspected: a missing extension comes from `type`.
   * @default the last part of the path, the name of the `File`, or `audio`
   */
  readonly name?: string
  /** MIME type. @default the type of the `Blob`, that of the bytes or the name, or `application/octet-stream` */
  readonly type?: string
  /** Exact size of a stream, in bytes. Without it the upload is sent chunked. Other sources know their size. */
  readonly size?: number
}

/** Any source of an upload. */
export type UploadSource = UploadData | UploadFile

/** An upload that is ready to send. */
export interface OpenedUpload {
  /** File name. */
  readonly name: string
  /** MIME type. */
  readonly type: string
  /** Bytes, if known. */
  readonly size: number | undefined
  /** The first bytes, at least 4 KB, to recognize the format. Absent if they are not available. */
  readonly head?: Uint8Array | Blob | undefined
  /** Returns the error if the upload cannot be opened again. */
  readonly spent?: RequestBody['spent']
  /** Opens the bytes from the start. */
  open(): AsyncIterable<Uint8Array>
}

/** An upload with a valid name, type and size. */
export interface CheckedUpload extends OpenedUpload {
  /** Largest size, in bytes. A longer stream of unknown size fails there. */
  readonly maxBytes: number
}

/** Name and type in the form part of an upload. */
export type NamedUpload = Pick<OpenedUpload, 'name' | 'type'>

/**
 * Chooses the name and the type of an upload.
 * @param head The first bytes, or more, if available
 */
export type NameUpload = (name: string, type: string, head?: Uint8Array | Blob) => NamedUpload | Promise<NamedUpload>

/** Options of a client for its uploads. */
export interface UploadContext {
  readonly files?: FileAccess | undefined
  /** Largest upload, in bytes. @default 536870912 (512 MB) */
  readonly maxUploadBytes?: number | undefined
  /** @default none: name and type are sent unchanged */
  readonly nameUpload?: NameUpload | undefined
}

/** Access to files on this machine. Absent on runtimes without files. */
export interface FileAccess {
  /**
   * Opens a file for upload.
   * @throws InvalidRequestError if it is missing, unreadable or not a file
   */
  open(path: string, param: string): Promise<OpenedUpload>
  /**
   * Writes a file. The file appears only when it is complete.
   * @returns bytes written
   * @throws InvalidRequestError if its folder is missing or not writable; and the error of the source
   */
  save(path: string, chunks: AsyncIterable<Uint8Array>): Promise<number>
  /**
   * Writes a WAV file with true sizes, in constant memory. The file appears only when it is complete.
   * @param tail RIFF chunks after the samples.
   * @default none
   * @returns bytes of PCM
   * @throws InvalidRequestError if its folder is missing or not writable; and the error of the source
   * @throws RangeError if the audio exceeds the 4 GiB of a WAV file
   */
  saveWav(path: string, format: PcmFormat, pcm: AsyncIterable<Uint8Array>, tail?: Uint8Array): Promise<number>
}

/** @throws ConfigurationError without access to files */
export function needFiles(files: FileAccess | undefined, param: string): FileAccess {
  if (files !== undefined) return files
  throw new ConfigurationError(`${param}: this client has no access to files`)
}

/**
 * Prepares a source: finds its name, type and size. Opens no stream yet.
 * @param param Name of the field, for errors
 * @throws InvalidRequestError if it is no {@link UploadSource}, an unreadable path, or known to exceed the limit
 * @throws ConfigurationError for a path, if this client has no access to files
 */
export async function openUpload(
  source: UploadSource,
  param: string,
  { files, maxUploadBytes = MAX_FILE_BYTES, nameUpload = asGiven }: UploadContext = {},
): Promise<CheckedUpload> {
  const given: UploadFile = isUploadFile(source) ? source : { data: source }
  const opened = await openData(given, param, files)
  const { name, type } = await nameUpload(given.name ?? opened.name, given.type ?? opened.type, opened.head)
  // A line break would end the header of the part and start another one.
  if (!/^[ -~]+$/.test(type)) throw new InvalidRequestError('invalid_type', param, 'its type is no MIME type')
  if (opened.size !== undefined && !isInteger(opened.size, 0)) {
    throw new InvalidRequestError('invalid_type', param, 'its size must be a whole number of bytes')
  }
  if (opened.size !== undefined && opened.size > maxUploadBytes) throw tooLarge(param, maxUploadBytes)
  return { ...opened, name, type, maxBytes: maxUploadBytes }
}

const asGiven: NameUpload = (name, type) => ({ name, type })

function openData({ data, size }: UploadFile, param: string, files?: FileAccess): OpenedUpload | Promise<OpenedUpload> {
  if (typeof data === 'string') return needFiles(files, param).open(data, param)
  const plain = { name: 'audio', type: OCTETS, size }
  const bytes = bytesOf(data)
  if (bytes !== undefined) return { ...plain, size: bytes.byteLength, head: bytes, open: () => once(bytes) }
  if (isBlob(data)) {
    const name: unknown = Reflect.get(data, 'name')
    const open = opener(() => openBlob(data), param)
    return {
      name: typeof name === 'string' && name !== '' ? name : plain.name,
      type: data.type || OCTETS,
      size: data.size,
      head: data,
      open,
    }
  }
  if (typeof data === 'function') return { ...plain, open: opener(data, param) }
  if (isStream(data)) {
    // Without a listener, a Node stream that fails before it is read ends the process. Reading it throws the error.
    if ('on' in data && typeof data.on === 'function') data.on('error', () => {})
    const open = opener(() => data, param)
    let spent = false
    const openOnce = (): ReturnType<typeof open> => {
      spent = true
      return open()
    }
    return { ...plain, open: openOnce, spent: () => (spent ? notReplayable(param) : undefined) }
  }
  throw new InvalidRequestError(
    'invalid_type',
    param,
    'must be a path, a Blob, a Uint8Array, a stream or a function that opens one',
  )
}

function isUploadFile(source: UploadSource): source is UploadFile {
  const isObject = typeof source === 'object' && source !== null
  return isObject && 'data' in source && !isBlob(source) && !isStream(source)
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes
}

/** Whether a value can be read as a stream. */
export function isStream(value: unknown): value is UploadStream {
  return typeof value === 'object' && value !== null && ('getReader' in value || Symbol.asyncIterator in value)
}

/**
 * Makes a function that opens a stream for each attempt. A request is retried only with all its bytes.
 *
 * @param give Called each time to get the stream
 * @param param Name of the field, for errors
 * @returns the function. It throws `NotReplayableError` if a second call gets a stream that was read before, and
 *   `InvalidRequestError` for a value that is not a stream.
 */
export function opener(give: () => UploadStream, param: string): () => AsyncGenerator<Uint8Array, void, undefined> {
  const opened: unknown[] = []
  return () => {
    const stream = give()
    if (opened.length > 0 && (opened.includes(stream) || isUsed(stream))) {
      throw notReplayable(param)
    }
    opened.push(stream)
    return iterate(stream, param)
  }
}

/** The error for a stream that would have to be read twice. */
function notReplayable(param: string): NotReplayableError {
  return new NotReplayableError(
    `${param}: its stream was read before: give a path, a Blob, a Uint8Array or a function that opens one`,
  )
}

/** True for a locked web stream, or a Node stream that was read or ended. A generator does not show it. */
function isUsed(stream: UploadStream): boolean {
  const marks = ['locked', 'readableDidRead', 'readableEnded', 'destroyed']
  return isStream(stream) && marks.some((mark) => Reflect.get(stream, mark) === true)
}

/**
 * Iterates a stream, also a web stream that is not iterable (Safari). Leaving early ends the stream and its pending
 * read at once.
 *
 * @param param Name of the field, for errors
 * @throws InvalidRequestError if it is not a stream
 */
function iterate(stream: UploadStream, param: string): AsyncGenerator<Uint8Array, void, undefined> {
  // Without types, a caller may return nothing, a promise or an array.
  if (!isStream(stream)) {
    throw new InvalidRequestError('invalid_type', param, 'its function must return a stream')
  }
  return 'getReader' in stream ? iterateWeb(stream) : iterateAny(stream)
}

function iterateAny(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  async function* chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of stream) yield chunk
  }
  return cancellable(chunks(), () => {
    // Only a Node stream can be ended during a pending read. A generator ends after its pending read.
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
  return cancellable(chunks(), () => void reader.cancel().catch(() => {}))
}

/** The error for a file over the limit. */
export function tooLarge(param: string, maxBytes: number): InvalidRequestError {
  return new InvalidRequestError('file_too_large', param, `is larger than ${maxBytes} bytes`)
}
