import { ensure, type Fields, isFields, Violation } from '../expect.ts'

/** A server's complete response. */
export class ApiResponse {
  /** The request, such as `POST /v1/audio/speech`. */
  readonly call: string
  readonly status: number
  readonly headers: Headers
  readonly bytes: Uint8Array

  constructor(call: string, { status, headers }: Response, bytes: Uint8Array) {
    this.call = call
    this.status = status
    this.headers = headers
    this.bytes = bytes
  }

  /** The content type: lower case, without spaces. */
  get contentType(): string {
    return (this.headers.get('content-type') ?? '').toLowerCase().replaceAll(' ', '')
  }

  /** The MIME type alone. */
  get mimeType(): string {
    return this.contentType.split(';', 1).join('')
  }

  get accepted(): boolean {
    return this.status >= 200 && this.status < 300
  }

  get text(): string {
    return new TextDecoder().decode(this.bytes)
  }

  /** @throws Violation unless the body is a JSON object */
  get fields(): Fields {
    const value = this.#json()
    const isJson = this.mimeType === 'application/json' || this.mimeType.endsWith('+json')
    if (isFields(value) && isJson) return value
    if (isFields(value))
      throw new Violation(`${this.call} answered JSON with the content type ${this.mimeType || 'none'}`)
    throw new Violation(`${this.call} answered ${this.status} without a JSON object: ${this.excerpt}`)
  }

  /** The start of the body, for messages. */
  get excerpt(): string {
    const text = /json|text|event/.test(this.mimeType)
      ? this.text
      : `${this.bytes.byteLength} bytes of ${this.mimeType}`
    return text.length > 200 ? `${text.slice(0, 200)}…` : text
  }

  #json(): unknown {
    try {
      return JSON.parse(this.text)
    } catch {
      return undefined
    }
  }
}

/** Returns the lines of an event stream, without empty lines and comments. */
export function eventLines({ text }: ApiResponse): string[] {
  return text.split(/\r\n|\r|\n/).filter((line) => line !== '' && !line.startsWith(':'))
}

/**
 * Reads the events of a stream. Each frame is one `data:` line (interface: Events).
 * @throws Violation for any other line, and for data that is not a JSON object with a `type`
 */
export function readEvents(response: ApiResponse): Fields[] {
  return eventLines(response).map((line) => {
    ensure(line.startsWith('data:'), `${response.call} sent a line without data: ${line.slice(0, 100)}`)
    const event = parse(line.slice('data:'.length))
    if (isFields(event) && typeof event['type'] === 'string') return event
    throw new Violation(`${response.call} sent an event that is not a JSON object with a type: ${line.slice(0, 100)}`)
  })
}

/** Returns the events of one type. */
export function eventsOf(events: readonly Fields[], type: string): Fields[] {
  return events.filter((event) => event['type'] === type)
}

/** Returns the only event of a type. @throws Violation unless exactly one exists */
export function theEvent(events: readonly Fields[], type: string): Fields {
  const [event, second] = eventsOf(events, type)
  if (event === undefined) throw new Violation(`the stream has no ${type}`)
  ensure(second === undefined, `the stream has more than one ${type}`)
  return event
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
