import { InvalidRequestError, ProtocolError } from '../errors.ts'
import { type Answer, type Api, Call, type CallOptions } from '../transport/index.ts'
import {
  type FileList,
  type FileListQuery,
  FILES_OFFSET_MAX,
  type VoiceList,
  type VoiceListQuery,
} from '../wire/index.ts'

/**
 * Gives the query of each next page of voices: by cursor, else by offset (interface: Voice list).
 * @throws ProtocolError if the pages repeat
 */
export function voicePages(first: VoiceListQuery): (page: VoiceList) => VoiceListQuery | undefined {
  const repeats = refuseRepetition()
  let offset = first.offset ?? 0
  return ({ data, has_more: more, next_cursor: cursor }) => {
    if (!more) return undefined
    repeats(data)
    const { after: _, offset: __, ...rest } = first
    if (cursor === undefined || cursor === '') return { ...rest, offset: (offset += data.length) }
    return { ...rest, after: cursor }
  }
}

/**
 * Gives the query of each next page of files, until a page is empty or says `has_more: false`. The interface has only
 * `limit` and `offset` and no order: a short page need not be the last, because a service may return fewer files than
 * requested, and files that are uploaded or deleted during the iteration move the others.
 * @throws ProtocolError if a page has no list, or only files that came before: the service ignores the offset, repeats
 * its last page, or goes in circles
 * @throws InvalidRequestError past the largest offset (interface: Limits)
 */
export function filePages(first: FileListQuery): (page: FileList & More) => FileListQuery | undefined {
  const repeats = refuseRepetition()
  let offset = first.offset ?? 0
  return ({ data, has_more: more }) => {
    if (data.length === 0 || more === false) return undefined
    repeats(data)
    offset += data.length
    if (offset <= FILES_OFFSET_MAX) return { ...first, offset }
    throw new InvalidRequestError('invalid_range', 'offset', `a list ends at ${FILES_OFFSET_MAX}: narrow it by purpose`)
  }
}

/** A field that a service may add to a page. */
interface More {
  readonly has_more?: unknown
}

/** A service that ignores the offset, or returns its pages in circles, would never end. */
function refuseRepetition(): (items: readonly { readonly id: string }[]) => void {
  const seen = new Set<string>()
  return (items) => {
    const [first] = items
    if (first === undefined) throw new ProtocolError('The list goes on with an empty page')
    const before = seen.size
    for (const { id } of items) seen.add(id)
    if (seen.size === before) throw new ProtocolError(`The list goes in circles: ${first.id} came twice`)
  }
}

/** How a list is read. */
interface Paging<Page, Query> {
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
interface Identified {
  readonly id: string
}

/** A page of a list. */
interface Listed<Item> {
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
