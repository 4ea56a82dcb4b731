import { expect, test } from 'vitest'
import { call, callJson, connect, form, start } from './support/start.ts'

const sample = new Uint8Array(1234).fill(7)

test('voices come in pages, and the cursor is not an id', async () => {
  const client = connect(await start({ voices: 45 }))
  const ids: string[] = []
  const pages: number[] = []
  let after: string | undefined
  do {
    const page = await client.voices.list(after === undefined ? {} : { after })
    ids.push(...page.data.map(({ id }) => id))
    pages.push(page.data.length)
    expect(page).toMatchObject({ object: 'list', first_id: page.data[0]?.id, last_id: page.data.at(-1)?.id })
    expect(page.has_more).toBe(page.next_cursor !== undefined)
    expect(page.next_cursor).not.toBe(page.last_id)
    after = page.next_cursor
  } while (after !== undefined)
  expect(pages).toEqual([20, 20, 5])
  expect(new Set(ids).size).toBe(45)
})

test('voices can be skipped and filtered, and an empty page has no ids', async () => {
  const client = connect(await start({ voices: 4 }))
  expect((await client.voices.list({ offset: 1, limit: 2 })).data.map(({ id }) => id)).toEqual(['voice-2', 'voice-3'])
  expect(await client.voices.list({ status: 'active' })).toMatchObject({ data: { length: 4 }, has_more: false })
  expect(await client.voices.list({ status: 'failed' })).toEqual({ object: 'list', data: [], has_more: false })
})

test.each(['limit=151', 'limit=0', 'limit=x', 'after=voice-1', 'offset=-1'])(
  'a voice list with %s is refused',
  async (query) => {
    expect((await call(await start(), `GET /v1/audio/voices?${query}`)).status).toBe(400)
  },
)

test('a created voice is listed', async () => {
  const upstream = await start({ voices: [] })
  const made = await callJson(upstream, 'POST /v1/audio/voices', form('audio_sample', sample, { name: 'Ada' }))
  expect(made).toMatchObject({
    status: 200,
    body: { object: 'audio.voice', name: 'Ada', created_at: expect.any(Number) },
  })
  const nameless = await callJson(upstream, 'POST /v1/audio/voices', form('audio_sample', sample))
  expect(nameless).toMatchObject({ body: { name: '' } })
  expect((await connect(upstream).voices.list()).data).toEqual([made.body, nameless.body])
})

test('a voice needs a form with a sample', async () => {
  const upstream = await start()
  expect((await call(upstream, 'POST /v1/audio/voices', { name: 'Ada' })).status).toBe(415)
  expect(await callJson(upstream, 'POST /v1/audio/voices', form('file', sample))).toMatchObject({
    status: 400,
    body: { error: { code: 'missing_required_field', param: 'audio_sample' } },
  })
})

test('a file is uploaded, listed, read and deleted', async () => {
  const upstream = await start({ now: () => 5000 })
  const stored = await callJson(upstream, 'POST /v1/files', form('file', sample, { purpose: 'audio' }))
  const file = {
    id: expect.any(String),
    object: 'file',
    bytes: 1234,
    created_at: 5,
    filename: 'sample.wav',
    purpose: 'audio',
    status: 'processed',
  }
  expect(stored).toEqual({ status: 200, body: file })
  const { id } = stored.body as { id: string }
  expect(await callJson(upstream, `GET /v1/files/${id}`)).toEqual(stored)
  expect(await callJson(upstream, 'GET /v1/files')).toEqual({
    status: 200,
    body: { object: 'list', data: [stored.body] },
  })
  expect(await callJson(upstream, `DELETE /v1/files/${id}`)).toEqual({
    status: 200,
    body: { id, object: 'file', deleted: true },
  })
  expect(await callJson(upstream, `GET /v1/files/${id}`)).toMatchObject({
    status: 404,
    body: { error: { code: 'file_not_found' } },
  })
  expect((await call(upstream, `DELETE /v1/files/${id}`)).status).toBe(404)
})

test('files can be skipped, limited and filtered', async () => {
  const upstream = await start()
  for (const purpose of ['a', 'b', 'a', 'a']) await call(upstream, 'POST /v1/files', form('file', sample, { purpose }))
  const list = async (query: string): Promise<string[]> => {
    const { body } = await callJson(upstream, `GET /v1/files?${query}`)
    return (body as { data: { id: string }[] }).data.map(({ id }) => id)
  }
  const all = await list('')
  expect(all).toHaveLength(4)
  expect(await list('offset=1&limit=2')).toEqual(all.slice(1, 3))
  expect(await list('purpose=a&offset=1')).toEqual(all.slice(2))
  expect((await call(upstream, 'GET /v1/files?limit=201')).status).toBe(400)
  expect((await call(upstream, 'GET /v1/files?offset=100001')).status).toBe(400)
})

test('an upload needs a form with a file', async () => {
  const upstream = await start()
  expect((await call(upstream, 'POST /v1/files', { purpose: 'audio' })).status).toBe(415)
  expect((await call(upstream, 'POST /v1/files', form('document', sample))).status).toBe(400)
})

test('the model list names every model of the interface, or the given ones', async () => {
  const known = await connect(await start()).models.list()
  expect(known.data.map(({ id }) => id)).toContain('svc-ttsd-1.0-2026-03-20')
  expect(known.data).toHaveLength(7)
  const own = { id: 'svc-own', object: 'model', created: 1, owned_by: 'me' } as const
  const given = await connect(await start({ models: ['svc-x', own] })).models.list()
  expect(given).toMatchObject({ object: 'list', data: [{ id: 'svc-x', object: 'model' }, own] })
})
