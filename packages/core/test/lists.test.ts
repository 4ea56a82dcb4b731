import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { connect, listAll, rejection } from './support/clients.ts'
import { startServer, type TestServer } from './support/servers.ts'

const voice = (index: number): object => ({ id: `v-${index}`, object: 'audio.voice', name: '', created_at: index })

/** A server whose answer is made from the query. */
function startList(answer: (query: URLSearchParams) => object): Promise<TestServer> {
  return startServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://x')
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer(searchParams)))
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
})
