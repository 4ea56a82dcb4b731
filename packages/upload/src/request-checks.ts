import type { IncomingHttpHeaders } from 'node:http'
import type { ResolvedUploadOptions } from './options.ts'
import { UploadError } from './upload-error.ts'
import type { UploadRequest } from './upload-request.ts'

/** Longest boundary (RFC 2046, 5.1.1). The cost of the search grows with its length. */
const MAX_BOUNDARY = 70

const MULTIPART = /^multipart\/form-data\s*(?:;|$)/i
const BOUNDARY = /;\s*boundary=(?:"(?<quoted>[^"]*)"|(?<token>[^;\s]*))/i

/** The parts of a request that the checks read. */
export type RequestHead = Pick<UploadRequest, 'headers' | 'method'>

/**
 * Refuses an upload by its headers alone, before its body is read. `HEAD` counts as a request without a body.
 * @throws UploadError
 */
export function checkHeaders({ headers, method }: RequestHead, options: ResolvedUploadOptions): void {
  if (method === 'HEAD') throw emptyBody()
  const type = headers['content-type']
  if (type === undefined && !hasBody(headers)) throw emptyBody()
  if (type === undefined || !MULTIPART.test(type)) {
    throw new UploadError('not_multipart', 'Send the file as multipart/form-data')
  }
  const boundary = BOUNDARY.exec(type)?.groups
  const length = (boundary?.['quoted'] ?? boundary?.['token'] ?? '').length
  if (length === 0 || length > MAX_BOUNDARY) throw missingBoundary()
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new UploadError('unsupported_encoding', 'Send the form without a content-encoding')
  }
  if (!hasBody(headers)) throw emptyBody()
  if (Number(headers['content-length'] ?? 0) > options.maxFileSize + options.maxFormBytes) {
    throw fileTooLarge(options.maxFileSize)
  }
}

/** Makes the error of a request whose body was read by a parser in front. */
export function alreadyRead(): UploadError {
  return new UploadError('body_already_read', 'The body was read before this middleware: move body parsers behind it')
}

/** Makes the error of a request without a body. */
export function emptyBody(): UploadError {
  return new UploadError('empty_body', 'The request has no body')
}

/** Makes the error of a form whose `content-type` has no usable boundary. */
export function missingBoundary(): UploadError {
  return new UploadError('missing_boundary', `The content-type needs a boundary of 1 to ${MAX_BOUNDARY} characters`)
}

/**
 * Makes the error of a file beyond the limit.
 * @param maxFileSize The limit, in bytes.
 */
export function fileTooLarge(maxFileSize: number): UploadError {
  return new UploadError('file_too_large', `The file is larger than ${maxFileSize} bytes`)
}

/** HTTP/1.1 announces every body; HTTP/2 need not. */
function hasBody(headers: IncomingHttpHeaders): boolean {
  const length = headers['content-length']
  if (length !== undefined) return length !== '0'
  return headers['transfer-encoding'] !== undefined || ':method' in headers
}
