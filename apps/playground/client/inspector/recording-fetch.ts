import { SseDecoder } from '@svc-audio/core/streaming'
import { fetchWithProgress, type SentBytes } from './fetch-with-progress.ts'
import { checkConnection } from '../shell/connection.ts'
import { type Exchange, type ExchangeEvent, type ExchangeLog, MAX_TEXT, UNANSWERED } from './exchange.ts'
import { describeBody, headersOf, hideAudio } from './describe.ts'

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
