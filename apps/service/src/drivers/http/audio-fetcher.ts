import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { unlessAborted } from '@svc-audio/core/adapter'
import { MAX_FILE_BYTES } from '@svc-audio/core/interface'
import type { Dispatcher } from 'undici'
import type { AudioUrlPolicy } from '../../domain/url-policies.ts'
import { invalid, ServiceError } from '../../domain/service-error.ts'
import type { AudioFetcher, FetchOrder } from '../../ports/audio-fetcher.ts'
import { addressesOf, createResolver, pinnedLookup, type Resolve } from './resolver.ts'

/** Options of {@link createAudioFetcher}. */
export interface AudioFetcherOptions {
  readonly policy: AudioUrlPolicy
  /** Resolves a host name to all its addresses. @default the hosts file and the system's name servers */
  readonly resolve?: Resolve
  /**
   * Longest wait for a connection, for the head of a response and between two chunks, in milliseconds. @default 20000
   */
  readonly idleTimeout?: number
  /** Longest time of the whole fetch, redirects included, in milliseconds. @default 600000 */
  readonly timeout?: number
  /** Largest file, in bytes. @default 512 MB (interface: Limits) */
  readonly maxBytes?: number
}

/** Maximum redirects of one fetch. */
const MAX_REDIRECTS = 5

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/**
 * Makes a fetcher for http and https. For each URL it resolves the host once, checks all addresses, and connects to one
 * of them. It sends no cookie, key or referrer.
 */
export function createAudioFetcher(options: AudioFetcherOptions): AudioFetcher {
  const { policy, timeout = 600_000 } = options
  return {
    check: (url, param) => void policy.check(url, param),
    async fetch(order, signal) {
      const late = new AbortController()
      const timer = setTimeout(() => late.abort(unreachable(order.param, 'it takes too long')), timeout)
      const either = AbortSignal.any([signal, late.signal])
      try {
        await new Fetch(options, order, either).run()
      } catch (error) {
        either.throwIfAborted()
        throw error
      } finally {
        clearTimeout(timer)
      }
    },
  }
}

/** The state of one fetch. */
class Fetch {
  readonly #options: AudioFetcherOptions
  readonly #order: FetchOrder
  readonly #signal: AbortSignal

  constructor(options: AudioFetcherOptions, order: FetchOrder, signal: AbortSignal) {
    this.#options = options
    this.#order = order
    this.#signal = signal
  }

  async run(): Promise<void> {
    const { policy } = this.#options
    const { param } = this.#order
    let url = policy.check(this.#order.url, param)
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const location = await this.#visit(url)
      if (location === undefined) return
      if (!URL.canParse(location, url.href)) throw invalid('invalid_url', param, `${param} redirects to an invalid URL`)
      url = policy.check(new URL(location, url).href, param)
    }
    throw unreachable(param, `it redirects more than ${MAX_REDIRECTS} times`)
  }

  /** @returns The target of a redirect, or `undefined` when the file was fetched. */
  async #visit(url: URL): Promise<string | undefined> {
    const { idleTimeout = 20_000 } = this.#options
    const lookup = pinnedLookup(await this.#resolve(url))
    const limits = { headersTimeout: idleTimeout, bodyTimeout: idleTimeout }
    // Loaded with the first URL: a service that only takes uploads saves 5 MB of memory.
    const { Agent } = await import('undici')
    const agent = new Agent({ connect: { lookup, timeout: idleTimeout }, ...limits })
    try {
      const { statusCode, headers, body } = await this.#get(url, agent)
      const location = REDIRECTS.has(statusCode) ? headers['location'] : undefined
      if (typeof location === 'string') return location
      if (statusCode !== 200) throw unreachable(this.#order.param, `it answers with status ${statusCode}`)
      await this.#save(body, headers['content-length'])
      return undefined
    } finally {
      await agent.destroy()
    }
  }

  /** Refuses a host when one of its addresses is forbidden: such a name is not to be trusted. */
  async #resolve(url: URL): ReturnType<Resolve> {
    const { policy, resolve = createResolver() } = this.#options
    const { param } = this.#order
    const addresses = await unlessAborted(addressesOf(url, resolve), this.#signal).catch((error: unknown) => {
      throw unreachable(param, 'its host has no address', error)
    })
    if (addresses.every((address) => policy.permits(url.hostname, address))) return addresses
    throw invalid('private_url', param, `The address of ${param} is not public`)
  }

  async #get(url: URL, agent: Dispatcher): Promise<Dispatcher.ResponseData> {
    try {
      // Asks for the bytes without compression, so the size is known.
      const headers = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'svc-audio-service' }
      const { origin, pathname, search } = url
      const path = pathname + search
      return await agent.request({ origin, path, method: 'GET', headers, signal: this.#signal })
    } catch (error) {
      throw unreachable(this.#order.param, reasonOf(error), error)
    }
  }

  async #save(body: AsyncIterable<Uint8Array>, length: string | string[] | undefined): Promise<void> {
    const { maxBytes = MAX_FILE_BYTES } = this.#options
    const { param, path } = this.#order
    if (Number(length ?? 0) > maxBytes) throw tooLarge(param)
    const file = createWriteStream(path, { flags: 'wx', mode: 0o600 })
    await pipeline(limited(body, param, maxBytes), file, { signal: this.#signal })
  }
}

/** Passes bytes on, up to a limit. Its errors distinguish a failure of the sender from one of the disk. */
async function* limited(body: AsyncIterable<Uint8Array>, param: string, max: number): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]()
  let bytes = 0
  try {
    for (;;) {
      const { done, value } = await chunks.next().catch((error: unknown) => {
        throw unreachable(param, reasonOf(error), error)
      })
      if (done === true) return
      bytes += value.byteLength
      if (bytes > max) throw tooLarge(param)
      yield value
    }
  } finally {
    await chunks.return?.().catch(() => undefined)
  }
}

function tooLarge(param: string): ServiceError {
  return new ServiceError(413, 'file_too_large', 'A file can have at most 512 MB', { param })
}

/** Does not repeat the URL: it can hold secrets. */
function unreachable(param: string, reason: string, cause?: unknown): ServiceError {
  return new ServiceError(400, 'url_unreachable', `${param} cannot be fetched: ${reason}`, { param, cause })
}

/** Reports only the system's error code: its message can name an address of this network. */
function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : 'the connection failed'
}
