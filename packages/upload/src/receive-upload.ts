import { checkContent, HEAD_BYTES } from './content-type.ts'
import { ClientDisconnectedError } from './client-disconnected-error.ts'
import { drain } from './drain.ts'
import { cleanFileName } from './file-name.ts'
import { FileStream } from './file-stream.ts'
import { withField } from './form-fields.ts'
import { FormReception } from './form-reception.ts'
import type { IncomingUpload } from './incoming-upload.ts'
import { resolveOptions, type ResolvedUploadOptions, type UploadOptions } from './options.ts'
import { alreadyRead, checkHeaders } from './request-checks.ts'
import { UploadError } from './upload-error.ts'
import type { UploadRequest } from './upload-request.ts'

/** An upload as its stream sees it: {@link IncomingUpload} with the data for a deadline. */
export interface MeasuredUpload extends IncomingUpload {
  readonly stream: FileStream
}

/**
 * Receives a form with one file. Resolves when the file has begun and its first bytes have passed the check of its type.
 * From then on its bytes flow through `stream`, without a temporary file and without a buffer. When it rejects, the rest
 * of the body is read and discarded: answer the request.
 *
 * @throws UploadError when the upload is refused
 * @throws ClientDisconnectedError when the client disconnected
 * @throws ConfigurationError when an option is wrong
 * @throws the reason of `signal` when that aborted
 */
export async function receiveUpload(request: UploadRequest, options: UploadOptions): Promise<IncomingUpload> {
  return openUpload(request, options)
}

/** {@link receiveUpload}, with the stream's own class. */
export async function openUpload(request: UploadRequest, options: UploadOptions): Promise<MeasuredUpload> {
  const resolved = resolveOptions(options)
  const reception = open(request, resolved, options.signal)
  try {
    const { content, fields, ...part } = await reception.file
    const file = new FileStream(content, reception)
    const head = await file.peek(HEAD_BYTES)
    if (head.byteLength === 0) throw emptyFile(part.filename, resolved.fileField)
    const detected = await checkContent(head, part.declaredType, resolved)
    return withField({
      stream: file,
      filename: cleanFileName(part.filename) ?? (detected === undefined ? 'audio' : `audio.${detected.ext}`),
      declaredType: part.declaredType,
      sniffedType: detected?.mime,
      get bytes() {
        return file.bytes
      },
      fields,
      trailingFields: reception.end,
      signal: options.signal === undefined ? reception.signal : AbortSignal.any([reception.signal, options.signal]),
      dispose: () => file.dispose(),
    })
  } catch (error) {
    reception.fail(error)
    throw error
  }
}

function open(request: UploadRequest, options: ResolvedUploadOptions, signal: AbortSignal | undefined): FormReception {
  try {
    signal?.throwIfAborted()
    checkHeaders(request, options)
    if (request.readableEnded || (request.readableDidRead && !request.destroyed)) throw alreadyRead()
    if (request.destroyed) throw new ClientDisconnectedError()
    return new FormReception(request, options, signal)
  } catch (error) {
    request.on('error', () => {})
    drain(request, options.drain)
    throw error
  }
}

/** Browsers send a nameless, empty file if the user chose none. */
function emptyFile(filename: string | undefined, fileField: string): UploadError {
  return filename === undefined
    ? new UploadError('missing_file', `The form has no file in the field ${fileField}`)
    : new UploadError('empty_file', 'The file is empty')
}
