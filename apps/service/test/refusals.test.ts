import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isDeepStrictEqual } from 'node:util'
import { assert, asyncProperty, constantFrom, integer, oneof, tuple } from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AUDIO_REFUSALS, TASK_REFUSALS } from './support/refusals.ts'
import { DIALOGUE, GENERATION, SPEECH } from './support/requests.ts'
import { OTHER_KEY, startTestService, type TestService } from './support/test-service.ts'

let service: TestService
/** A file of another tenant. */
let foreign: string
beforeAll(async () => {
  service = await startTestService()
  const form = new FormData()
  form.set('file', new Blob(['sound']), 'a.wav')
  const uploaded = await service.request('POST', '/v1/files', form, { authorization: `Bearer ${OTHER_KEY}` })
  foreign = ((await uploaded.json()) as { id: string }).id
})
afterAll(() => service.close())

/**
 * The audit log records refusals on purpose, with a sequence, and the mark of the folder counts up within 10 s of it.
 * Usage of earlier requests is written later.
 */
const LATE_TABLES = "'audit', 'folder_mark', 'sqlite_sequence', 'usage', 'usage_batches'"

/** All stored data: the rows of each table, except {@link LATE_TABLES}, and the names in each folder. */
async function everything(): Promise<Map<unknown, unknown>> {
  const database = new DatabaseSync(join(service.dataDir, 'service.sqlite'), { readOnly: true })
  try {
    const query = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN (${LATE_TABLES})`
    const tables = database.prepare(query).all()
    const rows = tables.map(({ name }): [unknown, unknown] => [
      name,
      database.prepare(`SELECT * FROM ${String(name)}`).all(),
    ])
    const folders = ['results', 'uploads', 'inputs', 'files']
    const names = folders.map(async (folder): Promise<[unknown, unknown]> => [
      `${folder}/`,
      await readdir(join(service.dataDir, folder)),
    ])
    return new Map([...rows, ...(await Promise.all(names))])
  } finally {
    database.close()
  }
}

/** A valid asynchronous request, and changes that make it invalid. */
interface Endpoint {
  readonly path: string
  readonly body: object
  readonly refusals: readonly object[]
  /** Whether it may also carry a file. */
  readonly takesFile?: boolean
}

const changes = [...TASK_REFUSALS.map(([, change]) => change), { response_format: 'midi' }, { model: 'svc-none' }]
const ofAudio = [...AUDIO_REFUSALS.map(([, change]) => change), ...changes]
const voice = (voice_id: string): object => ({ speakers: [{ id: 'anna', voice_id }, DIALOGUE.body.speakers[1]] })
const transcription = { path: '/v1/audio/transcriptions', takesFile: true }

const endpoints: readonly Endpoint[] = [
  {
    ...SPEECH,
    refusals: [...ofAudio, { voice_id: 'nobody' }, { voice_id: '' }, { input: ' ' }, { stream: true }, { speed: 2 }],
  },
  {
    ...DIALOGUE,
    refusals: [
      ...ofAudio,
      voice('nobody'),
      voice(''),
      { segments: [] },
      { segments: [{ speaker: 'carl', text: 'x' }] },
    ],
  },
  { ...GENERATION, refusals: [...ofAudio, { instruction: '' }, { input: 'Well [pause 1.0s] yes.' }] },
  {
    ...transcription,
    body: { model: 'svc-transcribe-1.0' },
    refusals: [...changes, { diarize: true }, { keyterms: ['Acme'] }, { stream: true }, { audio_data: 'AAAA' }],
  },
]

/** Invalid sources of a transcription. */
const sources: readonly (() => object)[] = [
  () => ({}),
  () => ({ file_id: 'file_0' }),
  () => ({ file_id: foreign }),
  () => ({ url: 'http://10.0.0.1/' }),
  () => ({ audio_url: 'file:///etc/passwd' }),
  () => ({ file_id: foreign, url: 'https://example.com/' }),
]

/** One endpoint with one or two faults. The second fault is another change, or an invalid key. */
const requests = oneof(
  ...endpoints.map((endpoint) =>
    tuple(constantFrom(endpoint), constantFrom(...endpoint.refusals), constantFrom({}, ...endpoint.refusals)),
  ),
)

function formOf(body: object): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(body)) if (value !== undefined) form.append(name, String(value))
  form.append('file', new Blob([new Uint8Array(20_000)]), 'a.wav')
  return form
}

/** Result of a request: whether it was refused, and the tables and folders that it changed. */
async function outcome(path: string, body: object, key: string): Promise<{ refused: boolean; changed: unknown[] }> {
  const before = await everything()
  const { status } = await service.request('POST', path, body, { 'idempotency-key': key })
  const after = await everything()
  const changed = [...after.keys()].filter((name) => !isDeepStrictEqual(after.get(name), before.get(name)))
  return { refused: status >= 400 && status < 500, changed }
}
const NOTHING = { refused: true, changed: [] }

test('a refused task request leaves no row, no file and no key, for any reason', async () => {
  const property = asyncProperty(requests, integer({ min: 0, max: 3 }), async ([endpoint, first, second], key) => {
    const body = { ...endpoint.body, async: true, ...second, ...first }
    const given = endpoint.takesFile === true ? formOf(body) : body
    expect(await outcome(endpoint.path, given, `key-${key}`)).toEqual(NOTHING)
  })
  await assert(property, { numRuns: 200 })
})

test('a transcription of a missing or forbidden source leaves nothing', async () => {
  const more = constantFrom({}, ...changes)
  const property = asyncProperty(constantFrom(...sources), more, async (source, change) => {
    const body = { model: 'svc-transcribe-1.0', async: true, ...source(), ...change }
    expect(await outcome(transcription.path, body, 'key-0')).toEqual(NOTHING)
  })
  await assert(property, { numRuns: 60 })
})

test.each([SPEECH, DIALOGUE, GENERATION])('$path: an invalid key leaves nothing', async ({ path, body }) => {
  expect(await outcome(path, { ...body, async: true }, 'x'.repeat(256))).toEqual(NOTHING)
})

test('the keys of refused requests are free for other requests', async () => {
  for (const [index, { path, body }] of [SPEECH, DIALOGUE, GENERATION].entries()) {
    const response = await service.request(
      'POST',
      path,
      { ...body, async: true },
      { 'idempotency-key': `key-${index}` },
    )
    expect(response.status).toBe(200)
  }
})
