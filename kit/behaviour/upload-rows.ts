import { uploadForm, wavFile } from '@svc-audio/testing'

const BOUNDARY = 'x-boundary'
const MULTIPART = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }

/** A part of a form as text. */
const part = (headers: string, content = ''): string => `--${BOUNDARY}\r\n${headers}\r\n\r\n${content}\r\n`
const FILE = 'Content-Disposition: form-data; name="file"; filename="a.wav"\r\nContent-Type: audio/wav'
const END = `--${BOUNDARY}--\r\n`
const WAV = wavFile(2000).toString('latin1')

type Body = NonNullable<RequestInit['body']>

/** One upload, and its response. */
export interface UploadRow {
  readonly case: string
  readonly status: number
  /** `error.code` of the response. */
  readonly code?: string
  readonly body: Body
  readonly headers?: Readonly<Record<string, string>>
}

const raw = (...parts: readonly string[]): Pick<UploadRow, 'body' | 'headers'> => ({
  body: Buffer.from(parts.join('') + END, 'latin1'),
  headers: MULTIPART,
})
const fields = (count: number): string =>
  Array.from({ length: count }, (_, index) => part(`Content-Disposition: form-data; name="f${index}"`, 'v')).join('')

/**
 * The responses of every framework to uploads to a route with `maxFileSize: 100_000` and `model: 'svc-transcribe-1.0'`, whose
 * service hears "hello". None of them may end the app.
 */
export const UPLOAD_ROWS: readonly UploadRow[] = [
  { case: 'a good file', status: 200, body: uploadForm(wavFile(2000)) },
  { case: 'a file exactly at the limit', status: 200, body: uploadForm(wavFile(99_956)) },
  { case: 'a file one byte over it', status: 413, code: 'file_too_large', body: uploadForm(wavFile(99_957)) },
  { case: 'a length that cannot fit', status: 413, code: 'file_too_large', body: uploadForm(wavFile(5_000_000)) },
  { case: 'no file', status: 400, code: 'missing_file', body: new FormData() },
  { case: 'an empty file', status: 400, code: 'empty_file', body: uploadForm(Buffer.alloc(0)) },
  { case: 'another field', status: 400, code: 'unexpected_file', body: uploadForm(wavFile(9), { field: 'photo' }) },
  { case: 'a second file', status: 400, code: 'too_many_files', ...raw(part(FILE, WAV), part(FILE, WAV)) },
  { case: 'too many fields', status: 413, code: 'too_many_fields', ...raw(fields(33), part(FILE, WAV)) },
  {
    case: 'a field too long',
    status: 413,
    code: 'field_too_large',
    ...raw(part('Content-Disposition: form-data; name="f"', 'v'.repeat(65_537)), part(FILE, WAV)),
  },
  { case: 'a PDF', status: 415, code: 'unsupported_content', body: uploadForm(Buffer.from('%PDF-1.7')) },
  {
    case: 'unknown bytes declared as something else',
    status: 415,
    code: 'unsupported_content',
    body: uploadForm(Buffer.from('????'), { type: 'text/plain' }),
  },
  {
    case: 'unknown bytes declared as audio',
    status: 200,
    body: uploadForm(Buffer.from('????'), { type: 'audio/x-new' }),
  },
  { case: 'JSON', status: 415, code: 'not_multipart', body: '{}', headers: { 'content-type': 'application/json' } },
  { case: 'an empty body', status: 400, code: 'empty_body', body: '', headers: MULTIPART },
  {
    case: 'no boundary',
    status: 400,
    code: 'missing_boundary',
    body: 'x',
    headers: { 'content-type': 'multipart/form-data' },
  },
  { case: 'a cut form', status: 400, code: 'truncated_form', body: part(FILE, 'RIFF'), headers: MULTIPART },
  { case: 'a broken header', status: 400, code: 'malformed_part', ...raw(part('no colon', 'x')) },
  {
    case: 'a compressed form',
    status: 415,
    code: 'unsupported_encoding',
    body: 'x',
    headers: { ...MULTIPART, 'content-encoding': 'gzip' },
  },
]
