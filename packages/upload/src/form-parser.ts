import type { IncomingHttpHeaders } from 'node:http'
import type { Readable, Writable } from 'node:stream'
import busboy from 'busboy'
import type { ResolvedUploadOptions } from './options.ts'
import { fileTooLarge, missingBoundary } from './request-checks.ts'
import { UploadError } from './upload-error.ts'

/** The file of a form, when it starts. */
export interface FilePart {
  /** Name from the client, without folders. */
  readonly filename: string | undefined
  /** Media type from the client, without parameters. */
  readonly declaredType: string
  /** The content. Read or resume it, else the form stalls. */
  readonly content: Readable
}

/** The events of a form, in the order of the body. */
export interface FormHandler {
  onField(name: string, value: string): void
  /** At most once. */
  onFile(part: FilePart): void
  /** The form is complete: its last boundary has arrived and its file was read. */
  onEnd(): void
  /** The form is refused: destroy the parser. More events may come until then. */
  onError(error: UploadError): void
}

const MAX_NAME = 200

/** JSON that a browser sends as a file: `form.append('meta', new Blob([json], { type: 'application/json' }))`. */
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json$/i

/**
 * A parser for one form; pipe the body into it. Only this file uses busboy.
 * Never destroy a parser inside its own events: it still uses its state.
 * @throws UploadError when the boundary cannot be read
 */
export function createFormParser(
  headers: IncomingHttpHeaders,
  options: ResolvedUploadOptions,
  handler: FormHandler,
): Writable {
  const parser = openParser(headers, options)
  const refuse = (code: ConstructorParameters<typeof UploadError>[0], message: string): void =>
    handler.onError(new UploadError(code, message))
  const tooManyFields = (): void => refuse('too_many_fields', `The form has more than ${options.maxFields} fields`)

  /** Ends the JSON part in front of the next part. */
  let endJson: (() => void) | undefined
  let files = 0
  parser.on('file', (name: string | undefined, content, { filename, mimeType }) => {
    endJson?.()
    // An error without a listener would end the process, and a part may fail after its disposal.
    content.on('error', () => {})
    if (name !== options.fileField && JSON_TYPE.test(mimeType)) {
      const text = textOf(content, options.maxFieldSize)
      endJson = () => {
        endJson = undefined
        onField(name, text())
      }
      return
    }
    content.on('limit', () => handler.onError(fileTooLarge(options.maxFileSize)))
    files += 1
    if (files > 1) refuse('too_many_files', 'Send one file')
    else if (name !== options.fileField) {
      refuse('unexpected_file', `The file belongs in the field ${options.fileField}`)
    } else handler.onFile({ filename, declaredType: mimeType, content })
  })
  const onField = (name: string | undefined, value: string | undefined, isTooLong = value === undefined): void => {
    if (isTooLong) return refuse('field_too_large', `A field is longer than ${options.maxFieldSize} bytes`)
    if (name === undefined || name.length > MAX_NAME || /\p{Cc}/u.test(name) || value === undefined) {
      return refuse('malformed_part', 'A field of the form has no usable name, or an unknown character set')
    }
    handler.onField(name, value)
  }
  parser.on('field', (name: string | undefined, value: string | undefined, { valueTruncated }) => {
    endJson?.()
    onField(name, value, valueTruncated)
  })
  parser.on('filesLimit', tooManyFields)
  parser.on('fieldsLimit', tooManyFields)
  parser.on('partsLimit', tooManyFields)
  parser.on('error', (error) => handler.onError(parserError(error)))
  parser.on('finish', () => {
    endJson?.()
    handler.onEnd()
  })
  return parser
}

/** busboy reports most limits when they are reached, not when they are exceeded: hence the extra one. */
function openParser(headers: IncomingHttpHeaders, options: ResolvedUploadOptions): busboy.Busboy {
  try {
    return busboy({
      headers,
      // Browsers write names in UTF-8; the default would garble them.
      defParamCharset: 'utf8',
      limits: {
        // One file, one more to refuse it, and JSON parts.
        files: options.maxFields + 2,
        fileSize: options.maxFileSize + 1,
        fields: options.maxFields,
        fieldSize: options.maxFieldSize + 1,
        // One file, and one part more than allowed.
        parts: options.maxFields + 2,
      },
    })
  } catch {
    throw missingBoundary()
  }
}

/**
 * Reads the text of a part. The returned function is for the time when the part has ended. It returns `undefined` for a part
 * longer than `maxBytes`, whose rest is read and discarded.
 */
function textOf(content: Readable, maxBytes: number): () => string | undefined {
  const chunks: Uint8Array[] = []
  let bytes = 0
  content.on('data', (chunk: Uint8Array) => {
    bytes += chunk.byteLength
    if (bytes <= maxBytes) chunks.push(chunk)
  })
  return () => {
    // The part has arrived whole, but its stream emits the last bytes later. Each read emits them now.
    while (content.read() !== null);
    return bytes > maxBytes ? undefined : new TextDecoder().decode(Buffer.concat(chunks))
  }
}

function parserError(cause: unknown): UploadError {
  const cut = cause instanceof Error && cause.message.startsWith('Unexpected end')
  return cut
    ? new UploadError('truncated_form', 'The form ended before its last boundary', { cause })
    : new UploadError('malformed_part', 'The headers of a part cannot be read', { cause })
}
