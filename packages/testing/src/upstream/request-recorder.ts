import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import busboy from 'busboy'
import type { Changes } from './changes.ts'
import {
  type Ending,
  matchRoute,
  type RecordedFile,
  type RecordedForm,
  type RecordedRequest,
  type Route,
  type RouteMatch,
  type WaitOptions,
} from './recorded-request.ts'

/** Continues reading a body. `bytes` were read since the last turn. */
export type Pace = (bytes: number, signal: AbortSignal) => Promise<void>

/** Dependencies of a recorder. */
export interface RecorderOptions {
  readonly apiKey: string
  readonly keepBytes: number
  readonly changes: Changes
}

/** Reads and records one request. */
export class RequestRecorder implements RecordedRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  declare readonly route?: Route
  readonly headers: Readonly<Record<string, string>>
  readonly authorized: boolean
  /** The path's id and methods. */
  readonly match: RouteMatch
  /** Aborted when the request ends in any way. */
  readonly signal: AbortSignal
  bytes = 0
  complete = false
  declare readonly json?: unknown
  declare readonly form?: RecordedForm
  declare readonly content?: Uint8Array
  declare readonly malformed?: string
  declare ended?: Ending
  /** Set when this side closes the connection. */
  cutHere = false
  readonly #response: ServerResponse
  readonly #message: IncomingMessage
  readonly #options: RecorderOptions
  #reading: Promise<void> | undefined
  #broken = false

  constructor(message: IncomingMessage, response: ServerResponse, options: RecorderOptions) {
    const url = new URL(`http://upstream${message.url ?? '/'}`)
    this.method = message.method ?? ''
    this.path = url.pathname
    this.query = url.searchParams
    this.match = matchRoute(this.method, this.path)
    if (this.match.route !== undefined) this.route = this.match.route
    this.authorized = message.headers.authorization === `Bearer ${options.apiKey}`
    this.headers = plainHeaders(message)
    this.#message = message
    this.#response = response
    this.#options = options
    const left = new AbortController()
    this.signal = left.signal
    response.once('close', () => {
      this.ended = response.writableFinished ? 'finished' : this.cutHere ? 'closedByUpstream' : 'closedByClient'
      left.abort(new Error('The request has ended'))
      options.changes.notify()
    })
  }

  /** Reads the body once, even if called several times. Rejects if the body breaks off. */
  read(pace?: Pace): Promise<void> {
    this.#reading ??= this.#read(pace)
    // `read()` rejects when the body breaks off. A test may ignore it.
    this.#reading.catch(() => {})
    return this.#reading
  }

  async received(bytes: number = Infinity, { signal }: WaitOptions = {}): Promise<RecordedRequest> {
    return this.#options.changes.until(() => {
      if (this.bytes >= bytes || (this.complete && bytes === Infinity)) return this
      // After an early response the body may still be arriving.
      const lost = this.ended !== undefined && this.ended !== 'finished'
      if (this.complete || this.#broken || lost) {
        throw new Error(`The body of ${this.method} ${this.path} ended after ${this.bytes} bytes`)
      }
      return undefined
    }, signal)
  }

  cut(): void {
    this.cutHere = true
    this.#response.destroy()
  }

  async closed({ signal }: WaitOptions = {}): Promise<Ending> {
    return this.#options.changes.until(() => this.ended, signal)
  }

  async #read(pace?: Pace): Promise<void> {
    const { changes, keepBytes } = this.#options
    const sink = bodySink(this.#message.headers, keepBytes)
    try {
      await pace?.(0, this.signal)
      for await (const chunk of this.#message as AsyncIterable<Uint8Array>) {
        this.bytes += chunk.byteLength
        await sink.write(chunk)
        changes.notify()
        await pace?.(chunk.byteLength, this.signal)
      }
      const parsed: ParsedBody = await sink.end()
      Object.assign(this, parsed)
      this.complete = true
    } catch (error) {
      this.#broken = true
      throw error
    } finally {
      changes.notify()
    }
  }
}

function plainHeaders(message: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(message.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value
  }
  if (headers['authorization'] !== undefined) headers['authorization'] = 'Bearer [redacted]'
  return headers
}

/** The parsed content of a body. */
export interface ParsedBody {
  readonly json?: unknown
  readonly form?: RecordedForm
  readonly content?: Uint8Array
  readonly malformed?: string
}

/** Takes a body in pieces. */
interface BodySink {
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
