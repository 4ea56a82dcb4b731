import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { verifyWebhook } from '@svc-audio/core/webhooks'
import { withObjects } from '../../src/cli/with-stores.ts'
import { openDatabase } from '../../src/drivers/sqlite/database.ts'
import { createSecretCipher } from '../../src/domain/secret-cipher.ts'
import { readSecretKey } from '../../src/drivers/folder/folders.ts'
import { createSecretStore, createWebhookSecrets, type SecretStore } from '../../src/drivers/sql/secret-store.ts'
import { createStores } from '../../src/drivers/sqlite/stores.ts'
import { findOrphans } from '../../src/use-cases/orphans.ts'
import { headersOf, type ReceivedCall } from '../support/receiver.ts'
import { withParts } from './load.ts'
import { FileWrite } from './writes/file-write.ts'
import { STREAM_MODEL } from './writes/stream-write.ts'
import { TaskWrite } from './writes/task-write.ts'
import { VoiceWrite } from './writes/voice-write.ts'
import type { Write } from './writes/write.ts'

type Database = ReturnType<typeof openDatabase>

/**
 * Compares the stored data of a stopped service with the writes, and its folders with its database.
 * @returns Missing and unexpected items.
 */
export async function checkRemains(
  dataDir: string,
  writes: readonly Write[],
  calls: readonly ReceivedCall[],
): Promise<string[]> {
  const database = openDatabase(join(dataDir, 'service.sqlite'))
  try {
    await cleanUp(database, dataDir)
    return [
      ...(await checkRows(database, withParts(writes))),
      ...(await checkFolders(database, dataDir)),
      ...(await checkCalls(
        createSecretStore(database, createSecretCipher(await readSecretKey(dataDir))),
        writes,
        calls,
      )),
    ]
  } finally {
    await database.destroy()
  }
}

/** Removes what remains from the crashes, as the service does an hour later and when lifetimes are over. */
async function cleanUp(database: Database, dataDir: string): Promise<void> {
  const stores = createStores(database)
  await withObjects({ dataDir }, stores, async (areas) => {
    const services = { stores, objects: areas, runtime: { log: { error: () => {}, warn: () => {}, info: () => {} } } }
    for (const area of ['uploads', 'inputs', 'results'] as const) {
      const { known, unnamed } = await findOrphans(services, area, Infinity)
      for (const name of [...known, ...unnamed]) await areas[area].delete(name)
    }
  })
}

/** Checks that each key created one row, that no other row exists, and that no work remains. */
async function checkRows(database: Database, writes: readonly Write[]): Promise<string[]> {
  const stored = writes.filter(({ sent, doomed }) => sent && !doomed)
  const idsOf = (kind: typeof FileWrite | typeof VoiceWrite | typeof TaskWrite): string[] =>
    stored.flatMap((write) => (write instanceof kind ? [write.id] : []))
  const tasks = await database.selectFrom('tasks').select(['id', 'status', 'model']).execute()
  const jobs = await database.selectFrom('jobs').select('task_id').execute()
  const unsent = await database.selectFrom('webhooks').select('id').where('status', '<>', 'delivered').execute()
  const files = await database.selectFrom('files').select('id').execute()
  const voices = await database.selectFrom('voices').select('id').execute()
  const orders = tasks.filter(({ model }) => model !== STREAM_MODEL)
  return [
    ...compare('file', named(files), idsOf(FileWrite)),
    ...compare('voice', named(voices), idsOf(VoiceWrite)),
    ...compare('task', named(orders), idsOf(TaskWrite)),
    ...tasks.filter(({ status }) => !['SUCCESS', 'FAILED'].includes(status)).map(({ id }) => `${id} has not ended`),
    ...jobs.map(({ task_id: id }) => `${id} has a job`),
    ...unsent.map(({ id }) => `${id} was not delivered`),
  ]
}

function named(rows: readonly { readonly id: string }[]): string[] {
  return rows.map(({ id }) => id)
}

function compare(what: string, found: readonly string[], expected: readonly string[]): string[] {
  return [
    ...found.filter((name) => !expected.includes(name)).map((name) => `${what} ${name} exists without a write`),
    ...expected.filter((name) => !found.includes(name)).map((name) => `${what} ${name} is missing`),
  ]
}

/** Checks that every object has a row, and that every row has its object. */
async function checkFolders(database: Database, dataDir: string): Promise<string[]> {
  const namesIn = (folder: string): Promise<string[]> => readdir(join(dataDir, folder))
  const tasks = await database.selectFrom('tasks').select('result').where('result', 'is not', null).execute()
  const results = tasks.flatMap(({ result }) => {
    const { file } = JSON.parse(result ?? '{}') as { readonly file?: string }
    return file === undefined ? [] : [file]
  })
  const objects = await database.selectFrom('objects').select(['area', 'name']).execute()
  const entered = (area: string): string[] => objects.filter((row) => row.area === area).map(({ name }) => name)
  const stored = await namesIn('results')
  return [
    ...compare('upload', await namesIn('uploads'), []),
    ...compare('input', await namesIn('inputs'), []),
    ...compare('object', await namesIn('files'), named(await database.selectFrom('files').select('id').execute())),
    ...compare(
      'result',
      stored.filter((name) => !/^(speech|generation)_/.test(name)),
      results,
    ),
    ...compare('entry of result', stored, entered('results')),
    ...compare('entry of object', await namesIn('files'), entered('uploads')),
    ...compare('entry of input', await namesIn('inputs'), entered('inputs')),
  ]
}

/** Checks that a webhook reported each task in its final state, under one message id, signed with the tenant's secret. */
async function checkCalls(
  store: SecretStore,
  writes: readonly Write[],
  calls: readonly ReceivedCall[],
): Promise<string[]> {
  const secrets = createWebhookSecrets(store)
  const faults: string[] = []
  const messages = new Map<string, string>()
  const tasks = writes.filter((write) => write instanceof TaskWrite && write.sent) as TaskWrite[]
  const tenants = new Map(tasks.map(({ id, tenant }) => [id, tenant]))
  for (const call of calls) {
    const { headers, body } = call
    const { id, status } = JSON.parse(body) as { readonly id: string; readonly status: string }
    const message = String(headers['webhook-id'])
    const tenant = tenants.get(id)
    if (tenant === undefined || !['SUCCESS', 'FAILED'].includes(status)) {
      faults.push(`Unexpected webhook: ${body}`)
      continue
    }
    if ((messages.get(id) ?? message) !== message) faults.push(`${id} has webhooks with two message ids`)
    messages.set(id, message)
    const right = { headers: headersOf(call), body, secret: await secrets.secretOf(tenant) }
    const signed = verifyWebhook({ ...right, now: Number(headers['webhook-timestamp']) })
    await signed.catch((error: unknown) => faults.push(`The webhook of ${id} has a wrong signature: ${String(error)}`))
  }
  return [...faults, ...tasks.filter(({ id }) => !messages.has(id)).map(({ key }) => `${key} has no webhook`)]
}
