import { ProtocolError } from '../errors/service-errors.ts'
import type { Api } from './api.ts'
import { type Answer, Call, type CallOptions } from './call.ts'

/** How a list is read. */
export interface Paging<Page, Query> {
  /** The client method, for logs. */
  readonly operation: string
  /** From `/v1` on. */
  readonly path: string
  /** Throws `InvalidRequestError` before anything is sent. */
  readonly check: (endpoint: string, query: object, outcome: 'answer') => void
  /** Begins an iteration. The returned function gives the query of the next page, `undefined` after the last one. */
  readonly follow: (query: Query) => (page: Page) => Query | undefined
}

/** An item of a list. */
export interface Identified {
  readonly id: string
}

/** A page of a list. */
export interface Listed<Item> {
  readonly data: readonly Item[]
}

/**
 * A list. Await it for the first page, or iterate it for the items of all pages. The client fetches pages as they are
 * needed.
 *
 * @example
 * const page = await audio.voices.list({ limit: 50 })
 * for await (const voice of audio.voices.list()) console.log(voice.name)
 */
export class ListCall<Page extends Listed<Item>, Item extends Identified>
  extends Call<Page>
  implements AsyncIterable<Item>
{
  readonly #pages: () => AsyncGenerator<Page, void, undefined>

  constructor(first: Promise<Answer<Page>>, pages: () => AsyncGenerator<Page, void, undefined>) {
    super(() => first)
    this.#pages = pages
  }

  /** All pages. */
  pages(): AsyncGenerator<Page, void, undefined> {
    // The iteration reports the failure, so this promise must count as handled.
    this.catch(() => {})
    return this.#pages()
  }

  /** The items of all pages, each once: an item that is added in the meantime moves the others to later pages. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    const seen = new Set<string>()
    for await (const { data } of this.pages()) {
      for (const item of data) {
        const before = seen.size
        if (seen.add(item.id).size > before) yield item
      }
    }
  }
}

/** Starts reading a list. */
export function listCall<Page extends Listed<Item>, Item extends Identified, Query extends object>(
  api: Api,
  { operation, path, check, follow }: Paging<Page, Query>,
  query: Query,
  options?: CallOptions,
): ListCall<Page, Item> {
  const load = (page: Query): Promise<Answer<Page>> =>
    api.answer(() => {
      check(`GET ${path}`, page, 'answer')
      return { operation, path: withQuery(path, page) }
    }, options)
  const first = load(query)
  async function* pages(): AsyncGenerator<Page, void, undefined> {
    const next = follow(query)
    for (let { data } = await first; ;) {
      if (!Array.isArray(data.data)) throw new ProtocolError(`The list of ${path} has no \`data\``)
      yield data
      const following = next(data)
      if (following === undefined) return
      ;({ data } = await load(following))
    }
  }
  return new ListCall(first, pages)
}

/** Adds the defined fields to a path as its query. */
export function withQuery(path: string, query: object): string {
  const set = Object.entries(query).filter(([, value]) => typeof value === 'string' || typeof value === 'number')
  const parameters = new URLSearchParams(set).toString()
  return parameters === '' ? path : `${path}?${parameters}`
}
