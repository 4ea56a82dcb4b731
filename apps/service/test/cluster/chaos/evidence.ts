import { sql } from 'kysely'
import type { PostgresDatabase } from '../../../src/drivers/postgres/database.ts'
import { createS3Client } from '../../../src/drivers/s3/client.ts'
import { createS3ObjectStore } from '../../../src/drivers/s3/object-store.ts'
import type { S3Process } from '../../s3/process.ts'
import { type Accepted, keyOf } from './load.ts'
import type { ClusterNode } from './nodes.ts'

/** What the cluster has stored, compared with what clients were told. */
export interface Evidence {
  /** Accepted tasks and files that the database does not have, or tasks that have not ended. */
  readonly lost: readonly string[]
  /** Tasks and files that no client was told of. */
  readonly unknown: number
  /** Ended tasks by status and code. */
  readonly ends: ReadonlyMap<string, number>
  /** Tasks whose webhooks or reads differ in their result, and whatever cannot be read or has another content. */
  readonly differing: readonly string[]
}

interface TaskRow {
  readonly id: string
  readonly status: string
  readonly result: string | null
  readonly error: string | null
}

interface Result {
  readonly file?: string
  readonly text?: string
}

/** Where the evidence is. */
export interface Places {
  readonly database: PostgresDatabase
  readonly apis: readonly ClusterNode[]
  readonly s3: S3Process
  /** Bodies of all webhooks. */
  readonly bodies: readonly string[]
}

/** Compares everything that was accepted with the tables, the bucket, the webhooks and the API. */
export async function collectEvidence(accepted: readonly Accepted[], places: Places): Promise<Evidence> {
  const { database, bodies } = places
  const tasks = await sql<TaskRow>`SELECT id, status, result, error FROM svc_audio.tasks`.execute(database)
  const files = await sql<{ id: string }>`SELECT id FROM svc_audio.files`.execute(database)
  const ended = new Map(tasks.rows.filter(({ status }) => /SUCCESS|FAILED/.test(status)).map((row) => [row.id, row]))
  const stored = new Set([...ended.keys(), ...files.rows.map(({ id }) => id)])
  const ends = new Map<string, number>()
  for (const { status, error } of tasks.rows) {
    const end = error === null ? status : `${status} ${(JSON.parse(error) as { code: string }).code}`
    ends.set(end, (ends.get(end) ?? 0) + 1)
  }
  const results = new Map([...ended].map(([id, { result }]) => [id, JSON.parse(result ?? '{}') as Result]))
  const differing = new Set([...differingCalls(bodies, results), ...(await findUnreadable(accepted, results, places))])
  return {
    lost: accepted.filter(({ id }) => !stored.has(id)).map(({ id }) => id),
    unknown: tasks.rows.length + files.rows.length - new Set(accepted.map(({ id }) => id)).size,
    ends,
    differing: [...differing],
  }
}

/** Tasks whose webhook has another result than their row. */
function differingCalls(bodies: readonly string[], results: ReadonlyMap<string, Result>): string[] {
  return bodies.flatMap((body) => {
    const { id, url, text } = JSON.parse(body) as { readonly id: string; readonly url?: string; readonly text?: string }
    const file = url === undefined ? undefined : new URL(url).pathname.split('/').at(-1)
    const result = results.get(id)
    return file === result?.file && text === result?.text ? [] : [id]
  })
}

/** Uploaded files in the bucket: the interface has no way to their bytes. */
export interface Uploads {
  /** The bytes of a file. @throws Error when there is none */
  read(id: string): Promise<Buffer>
  close(): void
}

/** Opens the uploads of a bucket. The credentials come from the environment. */
export async function openUploads({ bucket, port }: S3Process): Promise<Uploads> {
  const client = await createS3Client({ bucket, endpoint: `http://127.0.0.1:${port}` })
  const unused = () => Promise.reject(new Error('Not used'))
  const scratch = { withPath: unused, withCopy: unused, clear: async () => {} }
  const store = await createS3ObjectStore({ client, bucket, prefix: 'uploads/', scratch })
  return {
    async read(id) {
      const file = await store.open(id)
      if (file === undefined) throw new Error(`The bucket has no upload ${id}`)
      return Buffer.concat(await file.stream.toArray())
    },
    close: () => client.destroy(),
  }
}

/** Maximum reads at once. */
const READERS = 8

/** Reads everything as its client does. @returns Ids of what cannot be read, or is not what the client has sent. */
async function findUnreadable(
  accepted: readonly Accepted[],
  results: ReadonlyMap<string, Result>,
  { apis, s3 }: Places,
): Promise<string[]> {
  const uploads = await openUploads(s3)
  const isRight = async ({ id, kind, tenant, content }: Accepted): Promise<boolean> => {
    if (kind === 'transcription') return results.get(id)?.text === content
    if (kind === 'file') return (await uploads.read(id)).toString() === content
    const url = apis.find((api) => api.url !== undefined)?.url
    const task = await fetch(`${url}/v1/audio/tasks/${id}`, { headers: keyOf(tenant) })
    const { pathname, search } = new URL(((await task.json()) as { readonly url: string }).url)
    // The response leads to the bucket.
    const audio = Buffer.from(await (await fetch(`${url}${pathname}${search}`)).arrayBuffer())
    return audio.subarray(-2 * content.length).equals(Buffer.from(content, 'utf16le'))
  }
  const wrong: string[] = []
  const left = accepted.values()
  const reader = async (): Promise<void> => {
    for (const one of left) if (!(await isRight(one).catch(() => false))) wrong.push(one.id)
  }
  await Promise.all(Array.from({ length: READERS }, reader))
  uploads.close()
  return wrong
}
