import { vi } from 'vitest'
import { uploadsOver } from './fake-upload.ts'

/** A request that the page sent. */
export interface Sent {
  /** Method and path from `/v1` on, e.g. `POST /v1/audio/speech`; of the playground's own API without `/api`. */
  readonly route: string
  readonly query: Readonly<Record<string, string>>
  /** JSON, or the fields of a form. A file is its name and its text. A repeated field is a list. */
  readonly body: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal | undefined
}

type Answer = Response | Error | (() => Response | Promise<Response>)

/** A response that comes when the test gives it. */
export interface Held {
  readonly give: (response: Response | Error) => void
}

/** Stands in for the playground's server and the service behind it: answers `fetch` as it is told. */
export class FakeService {
  readonly sent: Sent[] = []
  readonly #answers = new Map<string, Answer[]>()

  constructor() {
    this.answer('GET /status', () => Response.json({ service: 'up', embedded: true }))
    this.voices('rms', 'slt')
  }

  /** Replaces the page's `fetch`, and its uploads. */
  install(): this {
    vi.stubGlobal('fetch', this.fetch)
    vi.stubGlobal('XMLHttpRequest', uploadsOver(this.fetch))
    return this
  }

  /** Gives the responses of a route, one after another. The last one stays. */
  answer(route: string, ...responses: Answer[]): this {
    this.#answers.set(route, responses)
    return this
  }

  /** Answers a route with JSON. */
  json(route: string, body: unknown, status = 200): this {
    return this.answer(route, () => Response.json(body, { status }))
  }

  /** Refuses a route, as the service does. */
  refuse(route: string, message: string, code: string = 'refused', status: number = 400): this {
    return this.json(route, { error: { code, message } }, status)
  }

  /** Answers a route with a WAV. */
  audio(route: string): this {
    return this.answer(route, () => new Response('RIFF-audio', { headers: { 'content-type': 'audio/wav' } }))
  }

  /** Lets a route wait for the test, or for the abort of its request. */
  hold(route: string): Held {
    const held = Promise.withResolvers<Response>()
    held.promise.catch(() => {})
    this.answer(route, () => held.promise)
    return { give: (response) => (response instanceof Error ? held.reject(response) : held.resolve(response)) }
  }

  /** The voices of the account. The first is the default. */
  voices(...ids: string[]): this {
    return this.json('GET /v1/audio/voices', listOfVoices(...ids))
  }

  /** The bodies of the requests of a route, in order. */
  bodies(route: string): Sent['body'][] {
    return this.sent.filter((request) => request.route === route).map(({ body }) => body)
  }

  /** The last request of a route. @throws Error if there is none */
  last(route: string): Sent {
    const found = this.sent.findLast((request) => request.route === route)
    if (found === undefined)
      throw new Error(`Nothing asked for ${route}, but for ${this.sent.map((one) => one.route).join()}`)
    return found
  }

  readonly fetch: typeof fetch = async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input, location.href)
    const route = `${init.method ?? 'GET'} ${url.pathname.replace(/^\/api/, '')}`
    const signal = init.signal ?? undefined
    const body = await bodyOf(init.body, new Headers(init.headers))
    this.sent.push({ route, query: Object.fromEntries(url.searchParams), body, signal })
    signal?.throwIfAborted()
    const responses = this.#answers.get(route)
    const answer = responses !== undefined && responses.length > 1 ? responses.shift() : responses?.[0]
    if (answer === undefined)
      return Response.json({ error: { code: 'not_found', message: `No ${route}` } }, { status: 404 })
    if (answer instanceof Error) throw answer
    const response = answer instanceof Response ? answer : await untilAborted(Promise.resolve(answer()), signal)
    return signal === undefined ? response : endingWith(signal, response)
  }
}

/** Server-sent events whose end the test decides. */
export class FakeStream {
  readonly response: Response
  /** Whether the page stopped reading. */
  cancelled: boolean = false
  #controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined

  constructor() {
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => {
        this.#controller = controller
      },
      cancel: () => {
        this.cancelled = true
      },
    })
    this.response = new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }

  send(...events: readonly object[]): this {
    for (const event of events) {
      this.#controller?.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`))
    }
    return this
  }

  end(): void {
    this.#controller?.close()
  }

  /** Loses the connection. */
  cut(): void {
    this.#controller?.error(new TypeError('terminated'))
  }
}

/** The response that lists voices. */
export function listOfVoices(...ids: string[]): object {
  const data = ids.map((id) => ({ id, object: 'audio.voice', name: id === 'slt' ? '' : `Voice ${id}`, created_at: 0 }))
  return { object: 'list', data, has_more: false }
}

/** Reads the body of a request: JSON, or the fields of a form. A file is its name and its bytes. */
export async function bodyOf(body: unknown, headers: Headers): Promise<Record<string, unknown>> {
  if (body === undefined || body === null) return {}
  const request = new Response(body as BodyInit, { headers })
  if (headers.get('content-type')?.startsWith('application/json') === true) {
    return (await request.json()) as Record<string, unknown>
  }
  const fields: Record<string, unknown> = {}
  const form = await request.formData()
  for (const name of new Set(form.keys())) {
    const values = await Promise.all(
      form.getAll(name).map(async (value) => (value instanceof File ? [value.name, await value.text()] : value)),
    )
    fields[name] = values.length === 1 ? values[0] : values
  }
  return fields
}

function untilAborted(response: Promise<Response>, signal: AbortSignal | undefined): Promise<Response> {
  const aborted = Promise.withResolvers<never>()
  signal?.addEventListener('abort', () => aborted.reject(signal.reason), { once: true })
  return Promise.race([response, aborted.promise])
}

/** A response whose body ends with an error when its request is aborted, as that of a browser. */
function endingWith(signal: AbortSignal, response: Response): Response {
  const reader = response.body?.getReader()
  if (reader === undefined) return response
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => {
      signal.addEventListener('abort', () => {
        controller.error(signal.reason)
        reader.cancel(signal.reason).catch(() => {})
      })
    },
    pull: async (controller) => {
      const { done, value } = await reader.read()
      if (signal.aborted) return
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
  return new Response(body, { status: response.status, headers: response.headers })
}
