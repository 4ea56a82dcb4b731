import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import busboy from 'busboy'
import type { RecordedFile, RecordedForm } from './recorded-request.ts'

/** The parsed content of a body. */
export interface ParsedBody {
  readonly json?: unknown
  readonly form?: RecordedForm
  readonly content?: Uint8Array
  readonly malformed?: string
}

/** Takes a body in pieces. */
export interface BodySink {
  write(chunk: Uint8Array): Promise<void>
  end(): Promise<ParsedBody>
}

/** @param keepBytes Largest body, and largest file in a form, to store in memory. */
export function bodySink(headers: IncomingHttpHeaders, keepBytes: number): BodySink {
  const type = headers['content-type']?.toLowerCase() ?? ''
  if (type.startsWith('multipart/form-data')) return formSink(headers, keepBytes)
  return plainSink(type.startsWith('application/json'), keepBytes)
}

function plainSink(isJson: boolean, keepBytes: number): BodySink {
  const kept = keeper(keepBytes)
  return {
    async write(chunk) {
      kept.add(chunk)
    },
    async end() {
      const content = kept.content()
      if (content === undefined || content.byteLength === 0) return {}
      if (!isJson) return { content }
      try {
        return { json: JSON.parse(content.toString()) as unknown }
      } catch {
        return { content, malformed: 'The body is not JSON' }
      }
    },
  }
}

function formSink(headers: IncomingHttpHeaders, keepBytes: number): BodySink {
  const fields: Record<string, string[]> = {}
  const files: RecordedFile[] = []
  let malformed: string | undefined
  const fail = (error: unknown): void => {
    malformed ??= error instanceof Error ? error.message : 'The form cannot be read'
  }
  const parser = openParser(headers, fail)
  parser?.on('error', fail)
  parser?.on('field', (name, value) => (fields[name] ??= []).push(value))
  parser?.on('file', (field, stream, { filename = '', mimeType }) => {
    // A file that breaks off ends with the form's error.
    stream.on('error', fail)
    recordFile(stream, keepBytes, (file) => files.push({ field, filename, contentType: mimeType, ...file }))
  })
  return {
    async write(chunk) {
      if (malformed !== undefined || parser === undefined || parser.write(chunk)) return
      await once(parser, 'drain').catch(fail)
    },
    async end() {
      if (malformed === undefined && parser !== undefined) {
        const closed = once(parser, 'close').catch(fail)
        parser.end()
        await closed
      }
      return malformed === undefined ? { form: { fields, files } } : { malformed }
    },
  }
}

function openParser(headers: IncomingHttpHeaders, fail: (error: unknown) => void): busboy.Busboy | undefined {
  try {
    return busboy({ headers, defParamCharset: 'utf8', preservePath: true })
  } catch (error) {
    fail(error)
    return undefined
  }
}

function recordFile(
  stream: Readable,
  keepBytes: number,
  done: (file: Pick<RecordedFile, 'bytes' | 'sha256' | 'content'>) => void,
): void {
  const hash = createHash('sha256')
  const kept = keeper(keepBytes)
  let bytes = 0
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.byteLength
    hash.update(chunk)
    kept.add(chunk)
  })
  stream.on('end', () => {
    const content = kept.content()
    done({ bytes, sha256: hash.digest('hex'), ...(content === undefined ? {} : { content }) })
  })
}

/** Holds bytes up to a limit. Above the limit it holds none. */
function keeper(ceiling: number): { add(chunk: Uint8Array): void; content(): Buffer | undefined } {
  let chunks: Uint8Array[] = []
  let bytes = 0
  return {
    add(chunk) {
      bytes += chunk.byteLength
      if (bytes <= ceiling) chunks.push(chunk)
      else chunks = []
    },
    content: () => (bytes <= ceiling ? Buffer.concat(chunks) : undefined),
  }
}
