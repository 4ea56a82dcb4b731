import { createTestUpstream, type TestUpstream, wavFile } from '@svc-audio/testing'
import { afterEach, beforeEach, describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { forwardUpload, transcribeUpload } from '../src/index.ts'
import { KEY, startApp, type TestApp } from './support/app.ts'

let upstream: TestUpstream
let app: TestApp | undefined
beforeEach(async () => {
  upstream = await createTestUpstream({ apiKey: KEY, transcript: 'hello' })
})
afterEach(async () => {
  await app?.close()
  app = undefined
  await upstream.close()
})

const file = (): Blob => new Blob([Uint8Array.from(wavFile(2000))], { type: 'audio/wav' })

/** A form with these fields before the file, and those after it. */
function form(
  before: readonly (readonly [string, string])[],
  after: readonly (readonly [string, string])[] = [],
): FormData {
  const data = new FormData()
  for (const [name, value] of before) data.append(name, value)
  data.append('file', file(), 'a.wav')
  for (const [name, value] of after) data.append(name, value)
  return data
}

async function post(body: FormData): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${app?.url}/`, { method: 'POST', body })
  return { status: response.status, body: await response.json() }
}

const Meeting = z.object({ title: z.string().min(3), people: z.coerce.number().int() })

describe.each([4, 5] as const)('text fields of an upload on Express %i', (version) => {
  async function start(options: Partial<Parameters<typeof transcribeUpload>[0]> = {}): Promise<void> {
    app = await startApp(
      upstream.url,
      (routes, client) => {
        routes.post('/', transcribeUpload({ client, ...options }), (req, res) => res.json(req.body))
      },
      { version },
    )
  }

  test('are in `req.body`, also those behind the file; repeated fields are lists', async () => {
    await start()
    const data = form(
      [
        ['title', 'Weekly'],
        ['tag', 'a'],
        ['tag', 'b'],
      ],
      [['note', 'late']],
    )
    expect(await post(data)).toEqual({ status: 200, body: { title: 'Weekly', tag: ['a', 'b'], note: 'late' } })
  })

  test('that pass a schema are in `req.body` as the schema returns them, without others', async () => {
    await start({ fields: Meeting })
    const data = form(
      [
        ['title', 'Weekly'],
        ['people', '4'],
        ['admin', 'true'],
      ],
      [['title', 'x']],
    )
    expect(await post(data)).toEqual({ status: 200, body: { title: 'Weekly', people: 4 } })
  })

  test('that a schema refuses are 400 `invalid_fields` before the call', async () => {
    await start({ fields: Meeting })
    const refused = await post(form([['title', 'x']]))
    expect(refused.status).toBe(400)
    expect(refused.body).toMatchObject({ error: { code: 'invalid_fields' } })
    expect(JSON.stringify(refused.body)).toMatch(/"Correct these fields\. title: .+; people: /)
    expect(app?.reported[0]?.error).toMatchObject({ issues: [{ field: 'title' }, { field: 'people' }] })
    expect(upstream.requests).toHaveLength(0)
  })

  test('behind the file are missing for a schema', async () => {
    await start({ fields: Meeting })
    const late = form(
      [],
      [
        ['title', 'Weekly'],
        ['people', '4'],
      ],
    )
    expect(await post(late)).toMatchObject({ status: 400, body: { error: { code: 'invalid_fields' } } })
    expect(upstream.requests).toHaveLength(0)
  })

  test('that are missing for a schema put a hint into the log once, and not into the response', async () => {
    await start({ fields: z.object({ title: z.string() }) })
    const refused = [await post(form([])), await post(form([]))]
    expect(app?.lines).toEqual([
      expect.stringMatching(/^POST \/ 400 invalid_fields: .+ <- ConfigurationError: .+ first/),
    ])
    expect(JSON.stringify(refused)).not.toMatch(/before the file|first/)
  })

  test('that are wrong for a schema, but not missing, put nothing into the log', async () => {
    await start({ fields: z.object({ title: z.string().min(3) }) })
    expect((await post(form([['title', 'x']]))).status).toBe(400)
    expect(app?.lines).toEqual([])
  })

  test('named like parts of a prototype are ordinary', async () => {
    await start()
    expect(await post(form([['__proto__', 'x']]))).toMatchObject({ status: 200 })
    const { body } = await post(form([['constructor', 'x']]))
    expect(body).toEqual({ constructor: 'x' })
  })
})

test('`forwardUpload` gives the checked values to `call`, typed, and to `req.body`', async () => {
  app = await startApp(upstream.url, (routes, client) => {
    routes.post(
      '/',
      forwardUpload({
        fields: Meeting,
        call: ({ file: sample, values, options }) => {
          expectTypeOf(values).toEqualTypeOf<{ title: string; people: number }>()
          return client.voices.create({ audio_sample: sample, name: values.title }, options)
        },
        answer: ({ name }, req, res) => res.json({ name, body: req.body as object }),
      }),
    )
  })
  const data = form([
    ['title', 'Weekly'],
    ['people', '4'],
  ])
  expect(await post(data)).toEqual({ status: 200, body: { name: 'Weekly', body: { title: 'Weekly', people: 4 } } })
})

test('a function checks fields too, and its error is the app’s', async () => {
  app = await startApp(
    upstream.url,
    (routes, client) => {
      const fields = (values: Readonly<Record<string, unknown>>): { ok: boolean } => {
        if (values['title'] === undefined) throw Object.assign(new Error('no title'), { status: 418 })
        return { ok: true }
      }
      routes.post('/', transcribeUpload({ client, fields }), (req, res) => res.json(req.body))
      routes.use(((error, _req, res, _next) => {
        res.status(Number(Reflect.get(error as object, 'status'))).json({})
      }) satisfies import('express').ErrorRequestHandler)
    },
    { audioErrors: false },
  )
  expect(await post(form([['title', 'Weekly']]))).toEqual({ status: 200, body: { ok: true } })
  expect(await post(form([]))).toEqual({ status: 418, body: {} })
})

test('anything else than a schema or a function is refused when the app starts', () => {
  const wrong = { client: {}, fields: { title: 'text' } } as never
  expect(() => transcribeUpload(wrong)).toThrow(/`fields` must be a Standard Schema|`client`/)
  expect(() => forwardUpload({ call: async () => 1, fields: 'title' as never })).toThrow(
    '`fields` must be a Standard Schema',
  )
})

test('a handler that was not called says so', () => {
  const request = { headers: {}, method: 'POST' } as never
  expect(() => transcribeUpload(request)).toThrow('transcribeUpload makes a handler: call it with its options')
})
