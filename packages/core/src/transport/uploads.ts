import { isInteger } from '../checks/values.ts'
import { ConfigurationError, InvalidRequestError } from '../errors/request-errors.ts'
import type { PcmFormat } from '../streaming/pcm-format.ts'
import { MAX_FILE_BYTES } from '../wire/limits.ts'
import { OCTETS } from './upload-name.ts'
import { tooLarge } from './upload-reader.ts'
import type { RequestBody } from './transport.ts'
import { isStream, notReplayable, opener, type UploadStream } from './upload-stream.ts'

export type { UploadStream } from './upload-stream.ts'

/**
 * Bytes to upload, or the way to them. A `string` is always a path on this machine. A bare stream can be sent once: a
 * retry fails with `NotReplayableError`, and one that failed before any of it was read leaves
 * it open. A function that opens a new stream each time has no such limits.
 */
export type UploadData = string | Blob | Uint8Array | UploadStream | (() => UploadStream)

/** Bytes to upload with what the service should know about them. */
export interface UploadFile {
  readonly data: UploadData
  /**
   * File name. An extension that is missing, or that contradicts the first bytes of a path, a `Blob` or bytes, is set
   * right, unless the client was made without `nameUpload`. A stream is not looked into: there a missing one is filled in
   * from `type`.
   * @default the path's last part, the `File`'s name, or `audio`
   */
  readonly name?: string
  /** MIME type. @default the `Blob`'s type, what the bytes or the name tell, or `application/octet-stream` */
  readonly type?: string
  /** Exact size in bytes of a stream: without it the upload is sent chunked. Others know their own. */
  readonly size?: number
}

/** What an upload can be made of. */
export type UploadSource = UploadData | UploadFile

/** An upload ready to be sent. */
export interface OpenedUpload {
  readonly name: string
  readonly type: string
  readonly size: number | undefined
  /** Begins with the first bytes, 4 KB of them or more, to tell the format by; none where they are not at hand. */
  readonly head?: Uint8Array | Blob | undefined
  /** Why it cannot be opened again, once it was. */
  readonly spent?: RequestBody['spent']
  open(): AsyncIterable<Uint8Array>
}

/** How far an upload has come. */
export interface UploadProgress {
  /** Bytes of the whole body, form fields included, that the connection has taken. A retry begins at 0. */
  readonly sentBytes: number
  /** Bytes of the whole body; `undefined` where the size of the file is not known. */
  readonly totalBytes: number | undefined
}

/** An upload whose name, type and size are in order. */
export interface CheckedUpload extends OpenedUpload {
  /** Where it is cut off with an error, in bytes: a size may be unknown until then. */
  readonly maxBytes: number
}

/** What the part of a form that holds an upload says of it. */
export type NamedUpload = Pick<OpenedUpload, 'name' | 'type'>

/**
 * Chooses the name and the type that an upload is sent with.
 * @param head Begins with the first bytes, where they are at hand.
 */
export type NameUpload = (name: string, type: string, head?: Uint8Array | Blob) => NamedUpload | Promise<NamedUpload>

/** What uploads need to know of their client. */
export interface UploadContext {
  readonly files?: FileAccess | undefined
  /** Largest upload, in bytes. @default 536870912 (512 MB) */
  readonly maxUploadBytes?: number | undefined
  /** @default both are sent as they were given */
  readonly nameUpload?: NameUpload | undefined
}

/** Access to files on this machine; absent where there are none. */
export interface FileAccess {
  /**
   * Opens a file for upload.
   * @throws InvalidRequestError when it is missing, unreadable or no file.
   */
  open(path: string, param: string): Promise<OpenedUpload>
  /**
   * Writes a file that appears only once all of it is there.
   * @returns Bytes written.
   * @throws InvalidRequestError when its folder is missing or cannot be written, and what reading throws
   */
  save(path: string, chunks: AsyncIterable<Uint8Array>): Promise<number>
  /**
   * Writes a WAV file with true sizes, in constant memory; it appears only once all of it is there.
   * @param tail RIFF chunks that go behind the samples. @default none
   * @returns Bytes of PCM.
   * @throws InvalidRequestError when its folder is missing or cannot be written, and what reading throws
   * @throws RangeError when the audio passes the 4 GiB of a WAV file
   */
  saveWav(path: string, format: PcmFormat, pcm: AsyncIterable<Uint8Array>, tail?: Uint8Array): Promise<number>
}

/** @throws ConfigurationError where there is no access to files */
export function needFiles(files: FileAccess | undefined, param: string): FileAccess {
  if (files !== undefined) return files
  throw new ConfigurationError(`${param}: this client has no access to files`)
}

/**
 * Makes a source ready: knows its name, type and size, and opens no stream yet.
 * @param param The field it belongs to, for errors.
 * @throws InvalidRequestError when it is none of {@link UploadSource}, a path that cannot be read, or known to be larger
 *   than the limit.
 * @throws ConfigurationError for a path where this client has no access to files.
 */
export async function openUpload(
  source: UploadSource,
  param: string,
  { files, maxUploadBytes = MAX_FILE_BYTES, nameUpload = asGiven }: UploadContext = {},
): Promise<CheckedUpload> {
  const given: UploadFile = isUploadFile(source) ? source : { data: source }
  const opened = await openData(given, param, files)
  const { name, type } = await nameUpload(given.name ?? opened.name, given.type ?? opened.type, opened.head)
  // A line break would end the part's header, and what follows would be read as another.
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
  if (data instanceof Uint8Array) {
    return { ...plain, size: data.byteLength, head: data, open: () => once(data) }
  }
  if (data instanceof Blob) {
    const name: unknown = Reflect.get(data, 'name')
    const open = opener(() => data.stream(), param)
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
    // A Node stream that fails before it is read would end the process; its error shows when it is.
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
  return isObject && 'data' in source && !(source instanceof Blob) && !isStream(source)
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes
}
