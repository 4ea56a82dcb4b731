import { ConnectionError } from '../errors/connection-error.ts'
import { SvcAudioError } from '../errors/svc-audio-error.ts'
import { readApiError } from './api-error-body.ts'
import { ApiResponse } from './api-response.ts'
import type { CallOptions } from './call-options.ts'
import { type Redact, redactor } from './redact.ts'
import { RequestScope } from './request-scope.ts'
import type { Clock, RequestBody, Transport } from './transport.ts'

/** What an {@link Api} needs. */
export interface ApiOptions {
  readonly apiKey: string
  /** Without `/v1` and without a slash at the end. */
  readonly baseUrl: string
  readonly transport: Transport
  readonly clock: Clock
  /** Deadline for a whole call, in milliseconds. */
  readonly timeout?: number | undefined
}

/** A request as a resource states it. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** From `/v1` on, query included. */
  readonly path: string
  readonly body?: RequestBody
  /** The `Accept` header. @default 'application/json' */
  readonly accept?: string
}

/** Sends requests with the key, maps failures to errors. The only place that knows the key. */
export class Api {
  readonly #options: ApiOptions
  readonly #redact: Redact

  constructor(options: ApiOptions) {
    this.#options = options
    this.#redact = redactor(options.apiKey)
  }

  /**
   * Sends a request and resolves when a successful response begins.
   * @throws ApiError for an error status
   * @throws ConnectionError when no answer came
   * @throws TimeoutError when a deadline passed
   * @throws ConfigurationError for an impossible timeout
   */
  async send(request: ApiRequest, options: CallOptions = {}): Promise<ApiResponse> {
    const { transport, clock } = this.#options
    const scope = new RequestScope({ signal: options.signal, timeout: options.timeout ?? this.#options.timeout, clock })
    const what = `${request.method} ${this.#options.baseUrl}${request.path.split('?', 1).join('')}`
    try {
      scope.signal.throwIfAborted()
      const response = await transport.send({
        method: request.method,
        url: `${this.#options.baseUrl}${request.path}`,
        headers: this.#headers(request, options),
        body: request.body,
        signal: scope.signal,
      })
      if (response.status < 200 || response.status > 299) {
        throw await readApiError(response, what, this.#redact)
      }
      return new ApiResponse(response, scope, this.#redact)
    } catch (error) {
      scope.dispose()
      // Whatever an abort made fail, an error body that was being read included, the abort is the reason.
      if (scope.signal.aborted) throw scope.signal.reason
      if (SvcAudioError.isInstance(error)) throw error
      throw new ConnectionError(`${what} failed: ${describe(error)}`, { cause: error })
    }
  }

  /** Sends a request and reads its JSON answer. The caller names the type that the interface documents. */
  async json<Body extends object>(request: ApiRequest, options?: CallOptions): Promise<Body> {
    const response = await this.send(request, options)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the interface documents the shape, and unknown fields stay
    return (await response.json()) as Body
  }

  /** Frees the connections. */
  async close(): Promise<void> {
    await this.#options.transport.close?.()
  }

  #headers({ body, accept }: ApiRequest, { headers }: CallOptions): Record<string, string> {
    const all: Record<string, string> = { 'user-agent': 'svc-audio-core' }
    for (const [name, value] of Object.entries(headers ?? {})) all[name.toLowerCase()] = value
    all['accept'] ??= accept ?? 'application/json'
    all['authorization'] = `Bearer ${this.#options.apiKey}`
    if (body !== undefined) {
      all['content-type'] = body.contentType
      if (body.contentLength !== undefined) all['content-length'] = String(body.contentLength)
    }
    return all
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : ''
  return `${error.message || error.name}${code}`
}
