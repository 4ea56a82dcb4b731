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

/** A WAV file of `dataBytes` bytes of a rising pattern: any byte out of place shows. */
export function wav(dataBytes: number): Buffer {
  const file = Buffer.alloc(44 + dataBytes)
  file.write('RIFF', 0, 'latin1')
  file.writeUInt32LE(36 + dataBytes, 4)
  file.write('WAVEfmt ', 8, 'latin1')
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(1, 20)
  file.writeUInt16LE(1, 22)
  file.writeUInt32LE(16_000, 24)
  file.writeUInt32LE(32_000, 28)
  file.writeUInt16LE(2, 32)
  file.writeUInt16LE(16, 34)
  file.write('data', 36, 'latin1')
  file.writeUInt32LE(dataBytes, 40)
  for (let index = 0; index < dataBytes; index += 1) file[44 + index] = (index * 31 + (index >> 8)) % 256
  return file
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
