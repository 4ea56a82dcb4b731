import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { MultipartFile } from '@fastify/multipart'
import { MAX_FILE_BYTES } from '@svc-audio/core/interface'
import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import { errorCode } from '../domain/error-code.ts'
import { ObjectStoreUnavailableError } from '../domain/errors.ts'
import { invalid, ServiceError } from '../domain/service-error.ts'
import type { UploadMeter } from '../domain/uploads-in-flight.ts'
import { requireUtf8 } from './bodies.ts'

/** Allowance for the form around the file, when the length of the whole request is checked. */
const FORM_BYTES = 1024 * 1024

/** A multipart request, read to its end. */
export interface ReceivedUpload {
  /** Text fields. A repeated field is an array. */
  readonly fields: Readonly<Record<string, string | string[]>>
  /** Path of the uploaded file. `undefined` without a file. */
  readonly path: string | undefined
  /** Name of the file as sent, without folders. Empty without a file. */
  readonly filename: string
  /** Removes the file. */
  dispose(): Promise<void>
}

/** Options of {@link receiveUpload}. */
export interface UploadOptions {
  /** Folder of the uploaded file. */
  readonly folder: string
  readonly signal: AbortSignal
  /** Counts the bytes of the file until it is disposed. @throws ServiceError when the tenant has no room for them */
  readonly meter?: UploadMeter
  /** Largest file, in bytes. @default 512 MB (interface: Limits) */
  readonly maxBytes?: number
  /** Makes the error for a larger file. @default 413 `file_too_large` */
  readonly tooLarge?: () => ServiceError
  /**
   * Called at the start of the file, with the fields before it. An error that it throws refuses the request at once.
   */
  readonly beforeFile?: (fields: ReceivedUpload['fields']) => void
}

/** A folder of uploads that has vanished is made again. @throws ObjectStoreUnavailableError when it cannot be made */
async function makeUploadFolder(folder: string): Promise<string> {
  try {
    return await mkdtemp(join(folder, 'upload-'))
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'ENOTDIR') throw error
  }
  try {
    await mkdir(folder, { mode: 0o700 })
    return await mkdtemp(join(folder, 'upload-'))
  } catch (error) {
    throw new ObjectStoreUnavailableError({ cause: error }, 'The folder of uploads is missing and cannot be made')
  }
}

/**
 * Reads a multipart request and streams its one file to disk. Checks the size before and during reading. Removes a
 * refused file.
 *
 * @param fileField Required name of the file's field.
 * @throws ServiceError 413 for a file that is too large, 400 for a second file or a wrong field
 */
export async function receiveUpload(
  request: FastifyRequest,
  fileField: string,
  options: UploadOptions,
): Promise<ReceivedUpload> {
  const { maxBytes = MAX_FILE_BYTES, tooLarge = () => overLimit(maxBytes) } = options
  if (Number(request.headers['content-length'] ?? 0) > maxBytes + FORM_BYTES) throw tooLarge()
  const folder = await makeUploadFolder(options.folder)
  const path = join(folder, 'file')
  const dispose = async (): Promise<void> => {
    await rm(folder, { recursive: true, force: true })
    options.meter?.end(path)
  }
  try {
    // A disconnected client sends no more. Without this check the form would wait for ever.
    options.signal.throwIfAborted()
    const fields = new Map<string, string[]>()
    let received = false
    let filename = ''
    // One byte above the limit distinguishes a file of exactly the limit from a longer one.
    const limits = { fileSize: maxBytes + 1, files: 2, fields: 200, parts: 202, fieldSize: 64 * 1024 }
    for await (const part of request.parts({ limits })) {
      if (part.type === 'field') {
        if (part.fieldname === fileField) throw withoutFilename(fileField)
        if (part.valueTruncated) throw invalid('field_too_long', part.fieldname, `${part.fieldname} is too long`)
        requireUtf8(part.fieldname, String(part.value))
        fields.set(part.fieldname, [...(fields.get(part.fieldname) ?? []), String(part.value)])
      } else {
        // The parser passes on a part without a name.
        const name: string | undefined = part.fieldname
        if (name === undefined) throw namelessPart()
        if (name !== fileField) throw wrongField(name, fileField)
        if (received) throw invalid('too_many_files', fileField, 'Send one file')
        options.beforeFile?.(textsOf(fields))
        received = true
        filename = decodeQuotes(part.filename ?? '')
        if ((await writeFile(part, path, options)) > maxBytes) throw tooLarge()
      }
    }
    return { fields: textsOf(fields), path: received ? path : undefined, filename, dispose }
  } catch (error) {
    await dispose()
    throw cutShort(error)
  }
}

/** @returns The size in bytes; infinite for a truncated file. */
async function writeFile(
  { file }: MultipartFile,
  path: string,
  { signal, meter }: Pick<UploadOptions, 'signal' | 'meter'>,
): Promise<number> {
  const counted = async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      meter?.add(path, chunk.byteLength)
      yield chunk
    }
  }
  await pipeline(file, counted, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal })
  return file.truncated ? Infinity : file.bytesRead
}

function textsOf(fields: ReadonlyMap<string, string[]>): ReceivedUpload['fields'] {
  return Object.fromEntries([...fields].map(([name, all]) => [name, unwrap(all)] as const))
}

function unwrap(values: string[]): string | string[] {
  const [first, second] = values
  return first !== undefined && second === undefined ? first : values
}

function overLimit(bytes: number): ServiceError {
  const message = `A file can have at most ${Math.floor(bytes / 1024 / 1024)} MB`
  return new ServiceError(413, 'file_too_large', message, { param: 'file' })
}

/** A part with the file but without a file name is a text field to the parser. */
function withoutFilename(field: string): ServiceError {
  const message = `${field} has no file name: send the part as a file, with filename="audio.wav" in its Content-Disposition`
  return invalid('missing_required_field', field, message)
}

function namelessPart(): ServiceError {
  const message = 'A part of the form has no name: send name="…" in its Content-Disposition'
  return new ServiceError(400, 'invalid_form', message)
}

function wrongField(name: string, right: string): ServiceError {
  return invalid(
    'unexpected_file',
    right,
    `The file belongs in the field ${right}, not ${JSON.stringify(name.slice(0, 100))}`,
  )
}

/** The parser has many messages for a body that ends too soon or has no boundary. All of them mean a malformed or incomplete form. */
function cutShort(error: unknown): unknown {
  if (error instanceof ServiceError || !(error instanceof Error)) return error
  if (/boundary not found/i.test(error.message)) {
    const message = 'The content-type has no boundary: let the HTTP client write the header of the form'
    return new ServiceError(400, 'invalid_form', message, { cause: error })
  }
  if (!/unexpected end|boundary|malformed|premature|aborted|needle/i.test(error.message)) return error
  return new ServiceError(400, 'invalid_form', 'The multipart body is malformed or incomplete', { cause: error })
}

/** Browsers and `fetch` send a quote in a file name as `%22` (WHATWG: multipart/form-data encoding). */
function decodeQuotes(filename: string): string {
  return filename.replaceAll('%22', '"')
}

/** Reads a boolean of a form, as JSON, Python and JavaScript write it. @returns Another text unchanged */
export function readBoolean(text: unknown): unknown {
  if (typeof text !== 'string') return text
  const word = text.toLowerCase()
  return word === 'true' ? true : word === 'false' ? false : text
}

/** Makes a hook that refuses every body except a form, before the body is read. @param param The field of the file. */
export function requireForm(param: string, message: string): onRequestHookHandler {
  return ({ headers }, _reply, done) => {
    if (/^multipart\/form-data\b/i.test(headers['content-type'] ?? '')) return done()
    const given = headers['content-type']
    const told = given === undefined ? 'no content-type' : JSON.stringify(given.slice(0, 60))
    done(new ServiceError(415, 'unsupported_media_type', `${message}: the request has ${told}`, { param }))
  }
}
