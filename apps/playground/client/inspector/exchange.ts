import { SseDecoder } from '@svc-audio/core/streaming'
import { createStore, type Store } from '../lib/store.ts'
import { checkConnection } from '../shell/connection.ts'
import { fetchWithProgress, type SentBytes } from './fetch-with-progress.ts'

/** Characters of a response that the inspector holds. */
export const MAX_TEXT = 20_000

/** An event of a stream, for the inspector. */
export interface ExchangeEvent {
  /** Milliseconds since the request. */
  readonly atMs: number
  readonly type: string
  /** The event's JSON. A long one is shortened. */
  readonly data: string
  readonly bytes: number
}

/** A request and its response, as the page saw them. Times are in milliseconds since the request. */
export interface Exchange {
  readonly id: number
  readonly method: string
  /** Path and query, from `/v1` on. */
  readonly path: string
  /** Clock time of the request. */
  readonly began: Date
  readonly requestHeaders: Readonly<Record<string, string>>
  /** JSON or a description of a form. */
  readonly requestBody: string | undefined
  /** Of an upload. Absent for other requests. */
  readonly upload?: SentBytes
  readonly state: 'open' | 'done' | 'failed' | 'aborted'
  readonly status?: number | undefined
  readonly responseHeaders: Readonly<Record<string, string>>
  readonly headersMs?: number | undefined
  readonly firstByteMs?: number | undefined
  readonly endMs?: number | undefined
  readonly bytes: number
  /** The first events. */
  readonly events: readonly ExchangeEvent[]
  /** Number of all events. */
  readonly eventCount: number
  /** Start of a text answer. */
  readonly responseBody: string
  /** Why there is no complete response. */
  readonly error?: string | undefined
}

/** The fields of an exchange before anything of its response is here. */
export const UNANSWERED: Omit<Exchange, 'id' | 'method' | 'path' | 'began' | 'requestHeaders' | 'requestBody'> = {
  state: 'open',
  responseHeaders: {},
  bytes: 0,
  events: [],
  eventCount: 0,
  responseBody: '',
}

/** Exchanges that a log holds. */
const MAX_EXCHANGES = 30

/** The latest requests of a panel, newest first. */
export class ExchangeLog {
  readonly #store: Store<readonly Exchange[]> = createStore<readonly Exchange[]>([])
  /** Since the subscribers last heard. */
  #changed: Map<number, Exchange> = new Map()
  #waiting = false
  #last = 0

  /** Adds an exchange. @returns its id */
  add(exchange: Omit<Exchange, 'id'>): number {
    this.#last += 1
    this.#note({ ...exchange, id: this.#last })
    return this.#last
  }

  /** The exchange with all changes. */
  find(id: number): Exchange | undefined {
    return this.#changed.get(id) ?? this.#store.get().find((exchange) => exchange.id === id)
  }

  /** Changes an exchange. */
  change(id: number, change: Partial<Exchange>): void {
    const exchange = this.find(id)
    if (exchange !== undefined) this.#note({ ...exchange, ...change })
  }

  readonly get = (): readonly Exchange[] => this.#store.get()
  readonly subscribe = (listener: () => void): (() => void) => this.#store.subscribe(listener)

  /** Subscribers hear ten times per second at most: a stream has hundreds of events, and its sound comes first. */
  #note(exchange: Exchange): void {
    this.#changed.set(exchange.id, exchange)
    if (this.#waiting) return
    this.#waiting = true
    setTimeout(() => this.#tell(), 100)
  }

  #tell(): void {
    this.#waiting = false
    const [before, changed] = [this.#store.get(), this.#changed]
    this.#changed = new Map()
    const added = [...changed.values()].filter(({ id }) => id > (before[0]?.id ?? 0)).toReversed()
    const all = [...added, ...before.map((exchange) => changed.get(exchange.id) ?? exchange)]
    this.#store.set(all.slice(0, MAX_EXCHANGES))
  }
}

/** Events of a response that the inspector holds. */
const MAX_EVENTS = 200

/** A `fetch` that notes each request and its response in a log. The bytes pass unchanged, as they arrive. */
export function recordingFetch(log: ExchangeLog): typeof fetch {
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input, location.href)
    const began = performance.now()
    const id = log.add(opened(url, init))
    const since = (): number => performance.now() - began
    const fail = (error: unknown): void => {
      const aborted = init.signal?.aborted === true
      const message = error instanceof Error ? error.message : String(error)
      log.change(id, { state: aborted ? 'aborted' : 'failed', endMs: since(), error: aborted ? undefined : message })
      // The banner explains it, if the whole service is away.
      if (!aborted) void checkConnection()
    }
    try {
      const response = await send(input, url, init, (upload) => log.change(id, { upload }))
      const { status } = response
      log.change(id, { status, responseHeaders: headersOf(response.headers), headersMs: since() })
      if (status >= 502 && status <= 504) void checkConnection()
      if (response.body === null || response.type === 'opaqueredirect') {
        log.change(id, { state: 'done', endMs: since() })
        return response
      }
      const tap = new Tap(log, id, since, response.headers.get('content-type') ?? '')
      return new Response(tap.watch(response.body, fail), { status, headers: response.headers })
    } catch (error) {
      fail(error)
      throw error
    }
  }
}

/** `fetch` reports no upload. Every upload of the page is a `Blob`. */
function send(
  input: RequestInfo | URL,
  url: URL,
  init: RequestInit,
  onProgress: (progress: SentBytes) => void,
): Promise<Response> {
  const { body } = init
  return body instanceof Blob ? fetchWithProgress(url, { ...init, body }, onProgress) : fetch(input, init)
}

function opened(url: URL, init: RequestInit): Omit<Exchange, 'id'> {
  return {
    method: init.method ?? 'GET',
    path: url.pathname.replace(/^\/api(?=\/v1)/, '') + url.search,
    began: new Date(),
    requestHeaders: headersOf(new Headers(init.headers)),
    requestBody: describeBody(init.body, new Headers(init.headers).get('content-type') ?? ''),
    ...UNANSWERED,
  }
}

/** Reads along with the response. */
class Tap {
  readonly #log: ExchangeLog
  readonly #id: number
  readonly #since: () => number
  readonly #sse: SseDecoder | undefined
  readonly #text: TextDecoder | undefined
  readonly #events: ExchangeEvent[] = []
  #count = 0
  #bytes = 0
  #body = ''
  #firstByteMs: number | undefined

  constructor(log: ExchangeLog, id: number, since: () => number, type: string) {
    this.#log = log
    this.#id = id
    this.#since = since
    const isStream = type.startsWith('text/event-stream')
    this.#sse = isStream ? new SseDecoder() : undefined
    this.#text = !isStream && /^(?:text\/|application\/json)/.test(type) ? new TextDecoder() : undefined
  }

  /** A cancelled reader cancels the response, and an error of the response reaches the reader. */
  watch(
    body: ReadableStream<Uint8Array<ArrayBuffer>>,
    fail: (error: unknown) => void,
  ): ReadableStream<Uint8Array<ArrayBuffer>> {
    const reader = body.getReader()
    return new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        pull: async (controller) => {
          try {
            const { done, value } = await reader.read()
            if (done) {
              this.#end()
              controller.close()
              return
            }
            controller.enqueue(value)
            this.#note(value)
          } catch (error) {
            fail(error)
            controller.error(error)
          }
        },
        cancel: async (reason) => {
          this.#log.change(this.#id, { state: 'aborted', endMs: this.#since() })
          await reader.cancel(reason)
        },
      },
      { highWaterMark: 0 },
    )
  }

  #note(chunk: Uint8Array): void {
    this.#bytes += chunk.byteLength
    this.#firstByteMs ??= this.#since()
    for (const event of this.#sse?.feed(chunk) ?? []) this.#noteEvent(event)
    if (this.#text !== undefined && this.#body.length < MAX_TEXT) {
      this.#body = (this.#body + this.#text.decode(chunk, { stream: true })).slice(0, MAX_TEXT)
    }
    this.#log.change(this.#id, {
      bytes: this.#bytes,
      firstByteMs: this.#firstByteMs,
      responseBody: this.#body,
      events: this.#events,
      eventCount: this.#count,
    })
  }

  #noteEvent(bytes: Uint8Array): void {
    this.#count += 1
    // The last event matters too: it says how the stream ended.
    if (this.#events.length >= MAX_EVENTS && bytes.byteLength > 2000) return
    const text = new TextDecoder().decode(bytes)
    const type = /"type"\s*:\s*"([^"]*)"/.exec(text)?.[1] ?? 'event'
    this.#events.push({ atMs: this.#since(), type, data: hideAudio(text), bytes: bytes.byteLength })
  }

  #end(): void {
    this.#log.change(this.#id, { state: 'done', endMs: this.#since(), events: [...this.#events] })
  }
}

/** Shown in place of the key, which only the playground's server has. */
export const HIDDEN_KEY = 'Bearer $SVC_AUDIO_API_KEY'

const MAX_BODY = 20_000

/** Headers that the playground's own server sets. */
const OWN =
  /^(?:connection|keep-alive|transfer-encoding|content-security-policy|cross-origin-.*|referrer-policy|x-content-type-options|x-accel-buffering)$/

/** Headers for the inspector. The page's placeholder of the key becomes the name of its variable. */
export function headersOf(headers: Headers): Record<string, string> {
  const entries = [...headers]
    .filter(([name]) => !OWN.test(name))
    .map(([name, value]) => [name, name === 'authorization' ? HIDDEN_KEY : value])
  return Object.fromEntries(entries)
}

/** Describes the body of a request: JSON with indentation, a form by its size. */
export function describeBody(body: unknown, contentType: string): string | undefined {
  if (body === undefined || body === null) return undefined
  const text = typeof body === 'string' ? body : isJson(contentType, body) ? new TextDecoder().decode(body) : undefined
  if (text !== undefined) return indent(text).slice(0, MAX_BODY)
  const bytes = body instanceof Blob ? body.size : body instanceof Uint8Array ? body.byteLength : undefined
  const kind = contentType.split(';', 1).join('')
  return bytes === undefined ? kind : `${kind}, ${bytes.toLocaleString('en')} bytes`
}

/** Indents JSON. Other text stays as it is. */
export function indent(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text
  }
}

/** Shortens the audio of an event. */
export function hideAudio(event: string): string {
  return event.replace(
    /("audio"\s*:\s*")([^"]{40})[^"]*"/,
    (_all, start: string, first: string) => `${start}${first}…"`,
  )
}

function isJson(contentType: string, body: unknown): body is Uint8Array<ArrayBuffer> {
  return contentType.startsWith('application/json') && body instanceof Uint8Array
}
