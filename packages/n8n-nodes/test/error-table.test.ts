import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as core from '@svc-audio/core/pure'
import type { INode, IRun } from 'n8n-workflow'
import { expect, test } from 'vitest'
import { CONNECTION_WORDS, STATUS_WORDS } from '../nodes/SvcAudio/errors/explain-service.ts'
import { toNodeError } from '../nodes/SvcAudio/errors/index.ts'
import { errorOf, PACKAGE_FOLDER } from './support/engine.ts'
import { FORM_MISTAKES } from './support/parameters.ts'
import { table, withTables } from './support/page-tables.ts'
import { refusals, REFUSING, startSite, withoutIds } from './support/refusals.ts'
import { KEY, OTHER_KEY, scripted, startTestService } from './support/scripted.ts'

const PAGE = join(PACKAGE_FOLDER, 'docs/errors.md')
const NODE: INode = { id: '1', name: 'Speak', type: 'svcAudio', typeVersion: 1, position: [0, 0], parameters: {} }
const TASK = { id: 'task-1', object: 'audio.speech', status: 'PROCESSING', created_at: 0, updated_at: 0 } as const

type Row = readonly [what: string, headline: string, description: string]

const HEAD: Row = ['What happened', 'Headline', 'Description']

/** A failed request as n8n's helper reports it. */
function lost(code: string, maybeSent = true): core.ConnectionError {
  return new core.ConnectionError('POST https://audio.example failed', {
    maybeSent,
    cause: Object.assign(new Error(code), { httpCode: code }),
  })
}

const answer = (status: number, more: object = {}): core.ApiError =>
  new core.ApiError(`POST https://audio.example answered ${status}`, { status, ...more })

/** Every error of the client, and every word by status and by code. */
const FAILURES: readonly (readonly [what: string, error: unknown])[] = [
  ...Object.keys(STATUS_WORDS).map((status) => [`status ${status}`, answer(Number(status))] as const),
  ['status 307', answer(307)],
  ['status 502', answer(502)],
  ['status 400', answer(400, { code: 'invalid_json', serviceMessage: 'The body is not JSON' })],
  ['code tenant_suspended', answer(403, { code: 'tenant_suspended' })],
  ['code idempotency_conflict', answer(409, { code: 'idempotency_conflict' })],
  ...Object.keys(CONNECTION_WORDS).map((code) => [code, lost(code, false)] as const),
  ['ERR_SSL_WRONG_VERSION_NUMBER', lost('ERR_SSL_WRONG_VERSION_NUMBER')],
  ['ECONNRESET', lost('ECONNRESET')],
  ['ECONNRESET before the request was sent', lost('ECONNRESET', false)],
  ['the deadline passed', new core.TimeoutError('total', 'The call took over 600000 ms')],
  ['a stream was silent', new core.TimeoutError('events', 'No event came within 60000 ms')],
  [
    'the audio or transcript was cut',
    new core.StreamTruncatedError('The response was cut after 9 of 10 bytes', { bytes: 9 }),
  ],
  ['a stream failed', new core.StreamFailedError('The engine is broken', { code: 'engine_failed' })],
  ['an event is too large', new core.EventTooLargeError(1000)],
  ['another response than documented', new core.ProtocolError('The service answered with text/html instead of audio')],
  ['a request that cannot be repeated', new core.NotReplayableError('Cannot be repeated', { cause: answer(503) })],
  ['a task failed', new core.TaskFailedError(TASK, { code: 'engine_failed', message: 'The engine is broken' })],
  ['a task takes too long', new core.TaskTimeoutError('task-1', 600_000, TASK)],
  ['a result has expired', new core.ResultUnavailableError('The URL of the result has expired')],
  ['a wrong Base URL', new core.ConfigurationError('baseUrl must be an absolute http or https URL')],
  ['a wrong API Key', new core.ConfigurationError('`apiKey` must be 1 to 16384 visible ASCII characters')],
  [
    'a file that is too large',
    new core.InvalidRequestError('file_too_large', 'file', 'is larger than 536870912 bytes'),
  ],
  ['a file of unknown size', new core.InvalidRequestError('missing_size', 'file', 'n8n sends only known sizes')],
]

const given = scripted()

async function formRows(): Promise<Row[]> {
  const rows: Row[] = []
  for (const [what, parameters] of FORM_MISTAKES) {
    const error = errorOf(await given.engine.run([{ name: 'Node', parameters }]), 'Node')
    expect(given.upstream.requests, `${what} sends nothing`).toHaveLength(0)
    rows.push([what, cell(error?.message), cell(error?.['description'])])
  }
  return rows
}

/** The rows of what the real service refuses. */
async function refusedRows(): Promise<Row[]> {
  const rows: Row[] = []
  const site = await startSite()
  const common = await startTestService(REFUSING)
  try {
    for (const refusal of refusals(site.url, 'http://127.0.0.1:1')) {
      const { what, parameters, file, isAlone, path = '', service: own, before = 0 } = refusal
      const { apiKey = isAlone === true ? OTHER_KEY : KEY } = refusal
      const service = own === undefined ? common : await startTestService({ ...REFUSING, ...own })
      given.engine.credentials = { apiKey, baseUrl: service.url + path }
      const items = file === undefined ? [{ json: {} }] : [await given.engine.store(file)]
      const run = (): Promise<IRun> => given.engine.run([{ name: 'Node', parameters }], { items })
      for (let number = 0; number < before; number += 1) await run()
      const error = errorOf(await run(), 'Node')
      rows.push([what, cell(error?.message), cell(error?.['description'])])
      if (service !== common) await service.close()
    }
  } finally {
    await Promise.all([site.close(), common.close()])
  }
  return rows
}

/** The text of a cell, without what differs with each request. */
function cell(value: unknown): string {
  const text = typeof value === 'string' ? value : ''
  return withoutIds(text)
    .replace(/ \[item 0\]$/, '')
    .replaceAll(/[|<]/g, String.raw`\$&`)
}

// `npx -y pnpm@12 generate` writes the tables.
test('docs/errors.md holds every error as n8n shows it', { timeout: 300_000 }, async () => {
  const failures = FAILURES.map(([what, error]): Row => {
    const { message, description } = toNodeError(NODE, error, 0)
    return [what, cell(message), cell(description)]
  })
  const forms = await formRows()
  const refused = await refusedRows()
  const rows = [...forms, ...refused, ...failures]
  const forEngineers = /https?:\/\/(?!$)|\b(?:GET|POST|DELETE)\b|\w_\w|\bE[A-Z]{4,}\b(?!")|^$/
  expect(rows.filter(([, headline]) => forEngineers.test(headline))).toEqual([])
  expect(rows.filter(([, , description]) => !/^[A-Z].+\./.test(description))).toEqual([])
  const page = await readFile(PAGE, 'utf8')
  const tables = {
    '## Mistakes in the form': table([HEAD, ...forms]),
    '## Refusals of the service': table([HEAD, ...refused]),
    '## Failures of a request, a response or a task': table([HEAD, ...failures]),
  }
  await expect(withTables(page, tables)).toMatchFileSnapshot(PAGE)
})

test('the table has a row for every class of error', () => {
  const covered = new Set(FAILURES.map(([, error]) => (error instanceof Error ? error.name : '')))
  const classes = Object.values(core).flatMap((one) =>
    typeof one === 'function' && one.prototype instanceof core.SvcAudioError ? [String(Reflect.get(one, 'kind'))] : [],
  )
  // The trigger answers it to the caller; no node shows it.
  const never = new Set(['WebhookVerificationError'])
  expect(classes.filter((kind) => !covered.has(kind) && !never.has(kind))).toEqual([])
})
