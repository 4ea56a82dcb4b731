import { wavFile } from '@svc-audio/testing'

export const BOUNDARY = '----form-boundary-7MA4YWxk'

/** One part of a form; `headers` replaces the usual ones. */
export interface Part {
  readonly name?: string
  readonly filename?: string
  readonly type?: string
  readonly headers?: readonly string[]
  readonly content: string | Uint8Array
}

/** A multipart body. */
export function formBody(parts: readonly Part[], boundary = BOUNDARY): Buffer {
  const pieces = parts.flatMap((part) => [
    Buffer.from(`--${boundary}\r\n${headersOf(part).join('\r\n')}\r\n\r\n`),
    Buffer.from(part.content),
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)])
}

function headersOf({ name, filename, type, headers }: Part): readonly string[] {
  if (headers !== undefined) return headers
  const file = filename === undefined ? '' : `; filename="${filename}"`
  const disposition = `Content-Disposition: form-data; name="${name ?? 'file'}"${file}`
  return type === undefined ? [disposition] : [disposition, `Content-Type: ${type}`]
}

/** A file part of WAV. */
export function wavPart(content: Uint8Array = wav(100)): Part {
  return { name: 'file', filename: 'speech.wav', type: 'audio/wav', content }
}

/** A WAV file of `dataBytes` bytes of a rising pattern, which shows any misplaced byte. */
export function wav(dataBytes: number): Buffer {
  return wavFile(Uint8Array.from({ length: dataBytes }, (_, index) => (index * 31 + (index >> 8)) % 256))
}

/** A whole HTTP request with its length. */
export function post(body: Uint8Array, headers: Readonly<Record<string, string>> = {}): Buffer {
  const all = {
    host: 'test',
    'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
    'content-length': String(body.byteLength),
    ...headers,
  }
  const lines = Object.entries(all)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}: ${value}`)
  return Buffer.concat([Buffer.from(`POST / HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`), body])
}
