import { ClientGoneError } from './client-gone-error.ts'
import { drain } from './drain.ts'
import { cleanFileName } from './file-name.ts'
import { FileStream } from './file-stream.ts'
import { FormReception } from './form-reception.ts'
import type { IncomingUpload } from './incoming-upload.ts'
import { resolveOptions, type ResolvedUploadOptions, type UploadOptions } from './options.ts'
import { checkHeaders } from './request-checks.ts'
import { sniff, SNIFF_BYTES } from './sniff.ts'
import { UploadError } from './upload-error.ts'
import type { UploadRequest } from './upload-request.ts'

/**
 * Receives a form with one file. Resolves when the file has begun and its first bytes have been judged; from then on its
 * bytes flow through `stream`, without a temporary file and without a buffer. When it rejects, the request has been let
 * go of: answer it, and the rest of its body is thrown away.
 *
 * @throws UploadError when the upload is refused
 * @throws ClientGoneError when the client left
 * @throws RangeError when an option is out of range
 * @throws the reason of `signal` when that aborted
 */
export async function receiveUpload(request: UploadRequest, options: UploadOptions): Promise<IncomingUpload> {
  const resolved = resolveOptions(options)
  const reception = open(request, resolved, options.signal)
  try {
    const { content, fields, ...part } = await reception.file
    const file = new FileStream(content, reception)
    const head = await file.peek(SNIFF_BYTES)
    if (head.byteLength === 0) throw emptyFile(part.filename, resolved.fileField)
    const sniffed = await sniff(head, resolved)
    return {
      stream: file,
      filename: cleanFileName(part.filename) ?? (sniffed === undefined ? 'audio' : `audio.${sniffed.ext}`),
      declaredType: part.declaredType,
      sniffedType: sniffed?.mime,
      get bytes() {
        return file.bytes
      },
      fields,
      trailingFields: reception.end,
      signal: options.signal === undefined ? reception.signal : AbortSignal.any([reception.signal, options.signal]),
      dispose: () => file.dispose(),
    }
  } catch (error) {
    reception.fail(error)
    throw error
  }
}

function open(request: UploadRequest, options: ResolvedUploadOptions, signal: AbortSignal | undefined): FormReception {
  try {
    signal?.throwIfAborted()
    checkHeaders(request.headers, options)
    if (request.readableEnded || (request.readableDidRead && !request.destroyed)) throw alreadyRead()
    if (request.destroyed) throw new ClientGoneError()
    return new FormReception(request, options, signal)
  } catch (error) {
    request.on('error', () => {})
    drain(request, options.drain)
    throw error
  }
}

function alreadyRead(): UploadError {
  return new UploadError('body_already_read', 'The body of the request was read before, perhaps by a body parser')
}

/** A browser sends a nameless, empty file when none was chosen. */
function emptyFile(filename: string | undefined, fileField: string): UploadError {
  return filename === undefined
    ? new UploadError('missing_file', `The form has no file in the field ${fileField}`)
    : new UploadError('empty_file', 'The file is empty')
}
