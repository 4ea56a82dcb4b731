import { sql } from 'kysely'
import { ServiceError } from '../../src/domain/service-error.ts'
import { isStoreError } from '../../src/domain/errors.ts'
import type { IdempotencyContext } from '../../src/ports/response-store.ts'
import type { Services } from '../../src/services.ts'
import { deleteFile, replayFile, storeFile } from '../../src/use-cases/files.ts'
import { sweep } from '../../src/use-cases/sweep.ts'
import { acceptAudio, cancelTask, replayTask, type TaskTerms } from '../../src/use-cases/tasks/accept.ts'
import { acceptUpload } from '../../src/use-cases/transcription/source.ts'
import { runTask } from '../../src/workers/run-task.ts'
import { type ScriptedCluster, taskRow } from './cluster.ts'

/** A step of the service under a fault, and what must hold afterwards. */
export interface Scenario {
  /** Prepares without faults. `n` makes names unique. */
  readonly prepare?: (cluster: ScriptedCluster, n: number) => Promise<void>
  /** The step. Its error is what the caller sees. */
  readonly step: (cluster: ScriptedCluster, n: number) => Promise<unknown>
  /** Ends everything without faults. @returns What is broken. */
  readonly judge: (cluster: ScriptedCluster, n: number) => Promise<readonly string[]>
}

const HOUR = 3_600_000
const SPEECH = { text: 'Hello', pauses: false, voiceId: 'v', format: 'wav' }
const contentOf = (n: number): string => `the words of recording ${n}, `.repeat(4)

function terms(n: number, key?: string): TaskTerms & IdempotencyContext {
  const idempotency = key === undefined ? undefined : { key: `${key}-${n}`, fingerprint: 'f' }
  return { tenant: `t${n}`, webhookUrl: 'https://example.com/hook', idempotency, trace: { requestId: `req_${n}` } }
}

/** Repeats a request until it is answered, as a client with a key does. */
async function repeat<T>(request: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await request()
    } catch (error) {
      if (attempt === 5 || error instanceof ServiceError) throw error
      if (!isStoreError(error)) throw error
    }
  }
}

async function uploadTask(cluster: ScriptedCluster, n: number, key?: string): Promise<string> {
  const { services } = cluster
  const given = terms(n, key)
  const before = await replayTask(services, given)
  if (before !== undefined) return before.id
  const path = await cluster.upload(contentOf(n))
  const work = { diarize: false, keyterms: [] }
  return (await acceptUpload(services, { model: 'm', work, path }, given)).id
}

async function uploadFile(cluster: ScriptedCluster, n: number): Promise<string> {
  const { services } = cluster
  const given = { ...terms(n, 'file') }
  const before = await replayFile(services, given)
  if (before !== undefined) return before.id
  const path = await cluster.upload(contentOf(n))
  return (await storeFile(services, { ...given, path, filename: 'a.wav', purpose: 'user_data' })).id
}

/** The ids of the tasks of a run. */
async function tasksOf({ database }: ScriptedCluster, n: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`SELECT id FROM svc_audio.tasks WHERE tenant = ${`t${n}`}`.execute(database)
  return rows.map(({ id }) => id)
}

/** Runs what waits, and looks at each task of a run: one right result, one webhook, one attempt. */
async function judgeTasks(cluster: ScriptedCluster, n: number, max = 1): Promise<string[]> {
  const { database, claims } = cluster
  await cluster.work()
  const broken: string[] = []
  for (const id of await tasksOf(cluster, n)) {
    const row = await taskRow(database, id)
    if (row?.status !== 'SUCCESS') broken.push(`${row?.status} ${row?.error}`)
    else {
      const result = JSON.parse(row.result ?? '{}') as { readonly text?: string; readonly file?: string }
      const said = result.file === undefined ? result.text : await cluster.bytesOf('results', result.file)
      const wanted = result.file === undefined ? contentOf(n) : 'Hello'
      if (said?.trim() !== wanted.trim()) broken.push(`a wrong result: ${said}`)
      if (row.webhooks !== 1) broken.push(`${row.webhooks} webhooks`)
    }
    const attempt = claims.get(id)?.at(-1)?.attempt ?? 0
    if (attempt > max) broken.push(`attempt ${attempt}`)
  }
  return broken
}

const workOnce = async ({ services }: ScriptedCluster): Promise<void> => {
  const claim = await services.stores.tasks.claim(30_000)
  if (claim !== undefined) await runTask(services, claim)
}

/** Accepts, uploads, claims, renews, ends, cancels and sweeps. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'accept a task of a text': {
    step: ({ services }, n) =>
      repeatOnce(services, n, () =>
        acceptAudio(services, { kind: 'audio.speech', model: 'm', request: SPEECH, cost: 1 }, terms(n, 'key')),
      ),
    async judge(cluster, n) {
      const { services } = cluster
      const { id } = await repeat(
        async () =>
          (await replayTask(services, terms(n, 'key'))) ??
          acceptAudio(services, { kind: 'audio.speech', model: 'm', request: SPEECH, cost: 1 }, terms(n, 'key')),
      )
      const ids = await tasksOf(cluster, n)
      return [...(ids.join() === id ? [] : [`tasks ${ids.join()} for one key`]), ...(await judgeTasks(cluster, n))]
    },
  },
  'accept an upload with a key': {
    step: (cluster, n) => uploadTask(cluster, n, 'key'),
    async judge(cluster, n) {
      const id = await repeat(() => uploadTask(cluster, n, 'key'))
      const ids = await tasksOf(cluster, n)
      return [...(ids.join() === id ? [] : [`tasks ${ids.join()} for one key`]), ...(await judgeTasks(cluster, n))]
    },
  },
  'accept an upload without a key': {
    step: (cluster, n) => uploadTask(cluster, n),
    judge: judgeTasks,
  },
  'store a file': {
    step: uploadFile,
    async judge(cluster, n) {
      const id = await repeat(() => uploadFile(cluster, n))
      const files = await cluster.services.stores.files.list(`t${n}`, { limit: 10, offset: 0 })
      const content = await cluster.bytesOf('uploads', id)
      return [
        ...(files.length === 1 ? [] : [`${files.length} files for one key`]),
        ...(content === contentOf(n) ? [] : [`a file with other bytes: ${content}`]),
      ]
    },
  },
  'claim, run and end a transcription': {
    prepare: async (cluster, n) => void (await uploadTask(cluster, n, 'key')),
    step: workOnce,
    judge: judgeTasks,
  },
  'claim, run and end a speech': {
    prepare: async ({ services }, n) =>
      void (await acceptAudio(services, { kind: 'audio.speech', model: 'm', request: SPEECH, cost: 1 }, terms(n))),
    step: workOnce,
    judge: judgeTasks,
  },
  'renew the lease of long work': {
    prepare: async ({ services }, n) =>
      void (await acceptAudio(services, { kind: 'audio.speech', model: 'm', request: SPEECH, cost: 1 }, terms(n))),
    async step({ services }) {
      const claim = await services.stores.tasks.claim(30_000)
      const { promise, resolve } = Promise.withResolvers<undefined>()
      services.speakWith = async (text) => {
        await promise
        return Buffer.from(text)
      }
      const running = claim && runTask(services, claim)
      // Two renewals, with the time that their messages need.
      for (let second = 0; second < 25; second += 1) {
        await services.clock.pass(1000)
        await new Promise((soon) => setTimeout(soon, 1))
      }
      resolve(undefined)
      services.speakWith = async (text) => Buffer.from(text)
      await running
    },
    judge: judgeTasks,
  },
  'cancel a waiting task': {
    prepare: async (cluster, n) => void (await uploadTask(cluster, n, 'key')),
    step: async (cluster, n) => cancelTask(cluster.services, `t${n}`, (await tasksOf(cluster, n))[0] ?? ''),
    async judge(cluster, n) {
      const [id = ''] = await tasksOf(cluster, n)
      await repeat(() => cancelTask(cluster.services, `t${n}`, id))
      await cluster.work()
      const row = await taskRow(cluster.database, id)
      return [
        ...(row?.error?.includes('task_cancelled') === true ? [] : [`${row?.status} ${row?.error}`]),
        ...(row?.webhooks === 1 ? [] : [`${row?.webhooks} webhooks`]),
      ]
    },
  },
  'delete a file': {
    prepare: async (cluster, n) => void (await uploadFile(cluster, n)),
    async step(cluster, n) {
      const [file] = await cluster.services.stores.files.list(`t${n}`, { limit: 1, offset: 0 })
      return deleteFile(cluster.services, `t${n}`, file?.id ?? '')
    },
    async judge({ services }, n) {
      const files = await services.stores.files.list(`t${n}`, { limit: 10, offset: 0 })
      const [file] = files
      if (file !== undefined) await repeat(() => deleteFile(services, `t${n}`, file.id))
      return []
    },
  },
  'sweep beside fresh and expired data': {
    prepare: async (cluster, n) => {
      await uploadTask(cluster, n, 'key')
      await uploadFile(cluster, n)
    },
    step: ({ services }) => sweep(services, LIFETIMES),
    async judge(cluster, n) {
      await sweep(cluster.services, LIFETIMES)
      const [file] = await cluster.services.stores.files.list(`t${n}`, { limit: 1, offset: 0 })
      const content = await cluster.bytesOf('uploads', file?.id ?? 'none')
      return [
        ...(content === contentOf(n) ? [] : [`a file with other bytes: ${content}`]),
        ...(await judgeTasks(cluster, n)),
      ]
    },
  },
}

const LIFETIMES = {
  uploads: 24 * HOUR,
  inputs: 24 * HOUR,
  failedRequests: 24 * HOUR,
  results: 24 * HOUR,
  responses: 24 * HOUR,
  audit: 24 * HOUR,
}

/** A request with a key looks for its response first. */
async function repeatOnce<T>(services: Services, n: number, make: () => Promise<T>): Promise<unknown> {
  return (await replayTask(services, terms(n, 'key'))) ?? make()
}
