import { Violation } from '../outcomes.ts'

/** A JSON object. */
export type Fields = Readonly<Record<string, unknown>>

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

/** Whether this is a JSON object, not an array. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
