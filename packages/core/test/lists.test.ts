import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { connect, listAll, rejection } from './support/clients.ts'
import { startServer, type TestServer } from './support/servers.ts'

const voice = (index: number): object => ({ id: `v-${index}`, object: 'audio.voice', name: '', created_at: index })

/** A server whose response is made from the query. */
function startList(respond: (query: URLSearchParams) => object): Promise<TestServer> {
  return startServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://x')
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(respond(searchParams)))
  })
}

const queries = ({ requests }: TestServer): (string | undefined)[] => requests.map(({ url }) => url?.split('?')[1])

describe('voices, by cursor (interface: Voice list)', () => {
  /** `count` voices on pages of `size`. */
  const startVoices = (count: number, size: number): Promise<TestServer> =>
    startList((query) => {
      const from = Number(query.get('after') ?? query.get('offset') ?? 0)
      const data = Array.from({ length: Math.min(size, count - from) }, (_, index) => voice(from + index))
      const more = from + size < count
      return { object: 'list', data, has_more: more, ...(more ? { next_cursor: String(from + size) } : {}) }
    })

  // rules: voice-list.fields, voice.fields, voice.name-empty
  test('the promise is one page, unchanged', async () => {
    const server = await startVoices(5, 2)
    expect(await connect(server.url).voices.list({ limit: 2 })).toEqual({
      object: 'list',
      data: [voice(0), voice(1)],
      has_more: true,
      next_cursor: '2',
    })
    expect(queries(server)).toEqual(['limit=2'])
  })

  // rules: voice-list.cursor, voice-listing.after
  test('the iteration yields every voice, and each query has the filters and the cursor', async () => {
    const server = await startVoices(5, 2)
    const all = await listAll(connect(server.url).voices.list({ status: 'active', limit: 2, offset: 0 }))
    expect(all).toEqual([0, 1, 2, 3, 4].map(voice))
    expect(queries(server)).toEqual([
      'status=active&limit=2&offset=0',
      'status=active&limit=2&after=2',
      'status=active&limit=2&after=4',
    ])
  })

  test('pages are fetched one by one, and only as needed', async () => {
    const server = await startVoices(9, 3)
    for await (const page of connect(server.url).voices.list().pages()) {
      expect(page.data).toHaveLength(3)
      break
    }
    expect(server.requests).toHaveLength(1)
  })

  test('a list can be iterated again, and its first page is fetched once', async () => {
    const server = await startVoices(4, 2)
    const list = connect(server.url).voices.list()
    expect(await listAll(list)).toEqual(await listAll(list))
    expect(server.requests).toHaveLength(3)
  })

  test('a repeated cursor throws', async () => {
    const server = await startList((query) => {
      const from = Number(query.get('after') ?? 0)
      return { object: 'list', data: [voice(from)], has_more: true, next_cursor: String((from + 1) % 3) }
    })
    const error = await rejection(listAll(connect(server.url).voices.list()))
    expect(error).toMatchObject({ name: 'ProtocolError' })
    expect(server.requests.length).toBeLessThan(6)
  })

  test('a service that ignores the cursor throws too', async () => {
    let count = 0
    const server = await startList(() => {
      count += 1
      return { object: 'list', data: [voice(0), voice(1)], has_more: true, next_cursor: `c-${count}` }
    })
    expect(await rejection(listAll(connect(server.url).voices.list()))).toMatchObject({ name: 'ProtocolError' })
    expect(server.requests).toHaveLength(2)
  })

  test('a page with more items but without a cursor is continued by offset', async () => {
    const server = await startList((query) => {
      const from = Number(query.get('offset') ?? 0)
      return { object: 'list', data: [voice(from)], has_more: from < 2 }
    })
    expect(await listAll(connect(server.url).voices.list())).toHaveLength(3)
    expect(queries(server)).toEqual([undefined, 'offset=1', 'offset=2'])
  })

  test('pages without a cursor that go in circles throw', async () => {
    const server = await startList((query) => {
      const data = [voice(Number(query.get('offset') ?? 0) % 3)]
      return { object: 'list', data, has_more: true }
    })
    expect(await rejection(listAll(connect(server.url).voices.list()))).toMatchObject({ name: 'ProtocolError' })
    expect(server.requests).toHaveLength(4)
  })

  test('an empty page with has_more throws', async () => {
    const server = await startList(() => ({ object: 'list', data: [], has_more: true }))
    expect(await rejection(listAll(connect(server.url).voices.list()))).toMatchObject({ name: 'ProtocolError' })
  })

  test('a failure on a later page throws from the iteration', async () => {
    const server = await startServer((request, response) => {
      const first = !request.url?.includes('after')
      response.writeHead(first ? 200 : 403, { 'content-type': 'application/json' })
      response.end(JSON.stringify(first ? { data: [voice(0)], has_more: true, next_cursor: '1' } : {}))
    })
    expect(await rejection(listAll(connect(server.url).voices.list()))).toMatchObject({ status: 403 })
  })
})

describe('files, by offset (interface: List files)', () => {
  const file = (index: number): object => ({ id: `f-${index}`, object: 'file' })

  /** `count` files, of which a page holds at most `cap`, whatever was asked. */
  const startFiles = (count: number, cap: number): Promise<TestServer> =>
    startList((query) => {
      const from = Number(query.get('offset') ?? 0)
      const size = Math.min(cap, Number(query.get('limit') ?? cap))
      return {
        object: 'list',
        data: Array.from({ length: Math.max(0, Math.min(size, count - from)) }, (_, i) => file(from + i)),
      }
    })

  // rules: file-listing.limit-default-open, file-listing.answer
  test('each file comes once and in order, for any page size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 25 }),
        fc.integer({ min: 1, max: 9 }),
        fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
        async (count, cap, limit) => {
          const server = await startFiles(count, cap)
          const query = limit === undefined ? {} : { limit }
          const all = await listAll(connect(server.url).files.list(query))
          expect(all).toEqual(Array.from({ length: count }, (_, index) => file(index)))
        },
      ),
      { numRuns: 30 },
    )
  })

  // rules: file-listing.offset, file-listing.purpose
  test('the first offset is used', async () => {
    const server = await startFiles(7, 3)
    expect(await listAll(connect(server.url).files.list({ offset: 4, purpose: 'audio' }))).toHaveLength(3)
    expect(queries(server)).toEqual(['offset=4&purpose=audio', 'offset=7&purpose=audio'])
  })

  test('a service that ignores the offset throws', async () => {
    const server = await startList(() => ({ object: 'list', data: [file(0), file(1)] }))
    expect(await rejection(listAll(connect(server.url).files.list()))).toMatchObject({ name: 'ProtocolError' })
    expect(server.requests).toHaveLength(2)
  })

  // rules: file-listing.offset
  test('exceeding the largest offset throws', async () => {
    const server = await startList((query) => ({ object: 'list', data: [file(Number(query.get('offset')))] }))
    const error = await rejection(listAll(connect(server.url).files.list({ offset: 99_999 })))
    expect(error).toMatchObject({ name: 'InvalidRequestError', param: 'offset' })
    expect(queries(server)).toEqual(['offset=99999', 'offset=100000'])
  })

  /** A list of these pages by offset, and then the last one for ever. */
  const startPages = (pages: Readonly<Record<number, object>>): Promise<TestServer> =>
    startList((query) => pages[Number(query.get('offset') ?? 0)] ?? Object.values(pages).at(-1) ?? {})
  const page = (...data: readonly object[]): object => ({ object: 'list', data })
  const idsOf = (all: readonly { readonly id: string }[]): string[] => all.map(({ id }) => id)

  // rules: file-listing.answer
  test('a response has no has_more and no cursor, so an empty page ends the list', async () => {
    const server = await startPages({ 0: page(file(0)), 1: page() })
    expect(await listAll(connect(server.url).files.list())).toEqual([file(0)])
    expect(queries(server)).toEqual([undefined, 'offset=1'])
  })

  test('a service that adds has_more saves the last request', async () => {
    const server = await startPages({
      0: { ...page(file(0)), has_more: true },
      1: { ...page(file(1)), has_more: false },
    })
    expect(await listAll(connect(server.url).files.list())).toEqual([file(0), file(1)])
    expect(server.requests).toHaveLength(2)
  })

  // rules: file-listing.limit
  test('a page shorter or longer than its limit does not end the list', async () => {
    const server = await startPages({ 0: page(file(0)), 1: page(file(1), file(2), file(3)), 4: page() })
    expect(await listAll(connect(server.url).files.list({ limit: 2 }))).toHaveLength(4)
    expect(queries(server)).toEqual(['limit=2', 'limit=2&offset=1', 'limit=2&offset=4'])
  })

  test('in any order of the list, a file that moves to the next page during the iteration comes once', async () => {
    // Newest first: two uploads after the first page move two files to the second one.
    const server = await startPages({
      0: page(file(3), file(2), file(1)),
      3: page(file(2), file(1), file(0)),
      6: page(),
    })
    expect(idsOf(await listAll(connect(server.url).files.list()))).toEqual(['f-3', 'f-2', 'f-1', 'f-0'])
    const pages: object[] = []
    for await (const { data } of connect(server.url).files.list().pages()) pages.push(...data)
    expect(pages).toHaveLength(6)
  })

  test('a service that repeats its last page past the end throws, after all files', async () => {
    const server = await startPages({ 0: page(file(0), file(1)), 2: page(file(2)) })
    const found: string[] = []
    const read = async (): Promise<void> => {
      for await (const { id } of connect(server.url).files.list()) found.push(id)
    }
    expect(await rejection(read())).toMatchObject({ name: 'ProtocolError' })
    expect(found).toEqual(['f-0', 'f-1', 'f-2'])
    expect(server.requests).toHaveLength(3)
  })

  test('a service that goes in circles throws at the first page without a new file', async () => {
    const server = await startList((query) => page(file((Number(query.get('offset') ?? 0) / 2) % 3), file(9)))
    expect(await rejection(listAll(connect(server.url).files.list()))).toMatchObject({
      name: 'ProtocolError',
      message: 'The list goes in circles: f-0 came twice',
    })
    expect(server.requests).toHaveLength(4)
  })

  test.each([{ object: 'list' }, { object: 'list', data: null }, { data: {} }])(
    'the response %j has no list and throws',
    async (response) => {
      const server = await startList(() => response)
      expect(await rejection(listAll(connect(server.url).files.list()))).toMatchObject({
        name: 'ProtocolError',
        message: 'The list of /v1/files has no `data`',
      })
    },
  )
})
