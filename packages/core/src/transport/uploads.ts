import { isInteger } from '../checks/values.ts'
import { ConfigurationError, InvalidRequestError } from '../errors/request-errors.ts'
import { MAX_FILE_BYTES } from '../wire/limits.ts'
import { OCTETS } from './upload-name.ts'
import { tooLarge } from './multipart.ts'
import {
  type CheckedUpload,
  type FileAccess,
  isStream,
  type NameUpload,
  notReplayable,
  type OpenedUpload,
  opener,
  type UploadContext,
  type UploadFile,
  type UploadSource,
} from './upload-source.ts'

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
  return isObject && 'data' in source && !(source instanceof Blob) && !isStream(source)
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes
}
