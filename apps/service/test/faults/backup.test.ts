import { createHash } from 'node:crypto'
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { backupFolder } from '../../src/cli/backup/backup-folder.ts'
import { restoreFolder, verifyBackup } from '../../src/cli/backup/restore-folder.ts'
import { UsageError } from '../../src/cli/errors.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const SPEECH = { model: 'svc-tts-1.0-pro', input: 'Yes.', voice_id: 'kal16', response_format: 'wav', async: true }
const AREAS = ['files', 'inputs', 'results'] as const

let folder: string
let service: TestService
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-backup-'))
  service = await startTestService({ dataDir: join(folder, 'data') })
})
afterAll(async () => {
  await service.close()
  await rm(folder, { recursive: true })
})

/** What clients were told before the backup, and how they check it. */
interface Accepted {
  readonly tasks: string[]
  readonly files: Map<string, Buffer>
}

async function speak(): Promise<string> {
  const response = await service.request('POST', '/v1/audio/speech', SPEECH)
  return ((await response.json()) as { task_id: string }).task_id
}

async function transcribe(wav: Buffer): Promise<string> {
  const form = new FormData()
  form.set('model', 'svc-transcribe-1.0')
  form.set('async', 'true')
  form.set('file', new Blob([wav]), 'a.wav')
  const response = await service.request('POST', '/v1/audio/transcriptions', form)
  return ((await response.json()) as { task_id: string }).task_id
}

async function upload(bytes: Buffer): Promise<string> {
  const form = new FormData()
  form.set('file', new Blob([bytes]), 'a.wav')
  return ((await (await service.request('POST', '/v1/files', form)).json()) as { id: string }).id
}

async function statusOf(url: string, id: string): Promise<{ status: string; url?: string; text?: string }> {
  const response = await fetch(`${url}/v1/audio/tasks/${id}`, {
    headers: { authorization: 'Bearer test-key-of-the-first-tenant' },
  })
  return (await response.json()) as { status: string }
}

/** Everything of a table, in one order. */
function rowsOf(path: string): Record<string, unknown[]> {
  const database = new DatabaseSync(path, { readOnly: true })
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all()
  const rows = tables.map(
    ({ name }) => [String(name), database.prepare(`SELECT * FROM ${String(name)}`).all()] as const,
  )
  database.close()
  return Object.fromEntries(rows)
}

/** Every object of a folder, with its hash. */
async function objectsOf(dataDir: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const area of AREAS) {
    for (const name of await readdir(join(dataDir, area))) {
      found[`${area}/${name}`] = createHash('sha256')
        .update(await readFile(join(dataDir, area, name)))
        .digest('hex')
    }
  }
  return found
}

test('a backup under load, restored elsewhere, has everything that was accepted before it, and each of its tasks ends', async () => {
  const wav = Buffer.from(
    await (await service.request('POST', '/v1/audio/speech', { ...SPEECH, async: false })).arrayBuffer(),
  )
  const accepted: Accepted = { tasks: [], files: new Map() }
  for (let count = 0; count < 10; count += 1) accepted.tasks.push(await speak())
  for (let count = 0; count < 4; count += 1) accepted.tasks.push(await transcribe(wav))
  for (let count = 0; count < 10; count += 1) {
    const bytes = Buffer.concat([wav, Buffer.from(String(count))])
    accepted.files.set(await upload(bytes), bytes)
  }
  const load = new AbortController()
  // Objects come and go all the time: tasks with inputs, uploads and deletions.
  const loops = [
    async () => void (await speak()),
    async () => void (await transcribe(wav)),
    async () => void (await service.request('DELETE', `/v1/files/${await upload(wav)}`)),
    async () => {
      const id = await transcribe(wav)
      await service.request('DELETE', `/v1/audio/tasks/${id}`)
    },
  ].map(async (act) => {
    while (!load.signal.aborted) {
      await act()
      await sleep(5)
    }
  })
  await sleep(300)
  const target = join(folder, 'under-load')
  const said = await backupFolder(service, target)
  load.abort()
  await Promise.all(loops)
  expect(said).toMatch(
    /is complete: \d+ objects, \d+ bytes, each file compared\.\nWrites of the service waited \d+ ms\./,
  )
  expect(said).not.toContain('Missing')
  expect(await verifyBackup(target)).toMatch(/is sound: \d+ files/)

  const dataDir = join(folder, 'elsewhere', 'data')
  expect(await restoreFolder({ dataDir }, target)).toContain('Start the service with this folder')
  // A restore adds its own record to the audit log.
  const { audit: restoredAudit, sqlite_sequence: _restored, ...restored } = rowsOf(join(dataDir, 'service.sqlite'))
  const { audit: copiedAudit, sqlite_sequence: _copied, ...copied } = rowsOf(join(target, 'service.sqlite'))
  expect(restored).toEqual(copied)
  expect(restoredAudit).toHaveLength((copiedAudit?.length ?? 0) + 1)
  expect(await objectsOf(dataDir)).toEqual(await objectsOf(target))
  const named = rowsOf(join(dataDir, 'service.sqlite'))['objects'] as { area: string; name: string }[]
  const pathOf = ({ area, name }: { area: string; name: string }): string =>
    `${area === 'uploads' ? 'files' : area}/${name}`
  const objects = Object.keys(await objectsOf(dataDir))
  expect(named.map(pathOf)).toEqual(expect.arrayContaining(objects))
  // A deletion removes the object first and its entry second. Nothing that is still needed lacks its object.
  const files = rowsOf(join(dataDir, 'service.sqlite'))['files'] as { id: string }[]
  const lost = new Set(named.filter((entry) => !objects.includes(pathOf(entry))).map(({ name }) => name))
  expect(files.filter(({ id }) => lost.has(id))).toEqual([])
  expect(await readFile(join(dataDir, 'secret.key'), 'utf8')).toBe(
    await readFile(join(service.dataDir, 'secret.key'), 'utf8'),
  )

  const other = await startTestService({ dataDir })
  const statuses = new Set<number>()
  for (const id of accepted.tasks) {
    await expect.poll(() => statusOf(other.url, id), { timeout: 60_000 }).toMatchObject({ status: 'SUCCESS' })
    const { url } = await statusOf(other.url, id)
    if (url !== undefined) statuses.add((await fetch(url)).status)
  }
  expect([...statuses]).toEqual([200])
  for (const [id, bytes] of accepted.files) {
    expect((await other.request('GET', `/v1/files/${id}`)).status).toBe(200)
    expect((await readFile(join(dataDir, 'files', id))).equals(bytes)).toBe(true)
  }
  // No task of the copy lacks its input.
  const ended = async (): Promise<unknown[]> => {
    const database = new DatabaseSync(join(dataDir, 'service.sqlite'), { readOnly: true })
    const open = database.prepare('SELECT task_id FROM jobs').all()
    database.close()
    return open
  }
  await expect.poll(ended, { timeout: 100_000, interval: 500 }).toEqual([])
  const failed = rowsOf(join(dataDir, 'service.sqlite'))['tasks'] as { status: string; error: string | null }[]
  const codes = failed.flatMap(({ error }) => (error === null ? [] : [(JSON.parse(error) as { code: string }).code]))
  expect(new Set(codes)).toEqual(new Set(codes.length === 0 ? [] : ['task_cancelled']))
  await other.stop()
})

describe('a backup is refused', () => {
  test('into a folder with files, into the data folder, and of a cluster', async () => {
    const full = join(folder, 'full')
    await mkdir(full)
    await writeFile(join(full, 'a'), '')
    await expect(backupFolder(service, full)).rejects.toThrow(`${full} is not empty: choose a new or an empty folder`)
    await expect(backupFolder(service, join(service.dataDir, 'copy'))).rejects.toThrow('lies in the folder to copy')
    const cluster = { ...service, databaseUrl: 'postgres://localhost/none' }
    await expect(backupFolder(cluster, join(folder, 'x'))).rejects.toThrow('docs/cluster.md says how')
    await expect(backupFolder({ dataDir: join(folder, 'none') }, join(folder, 'x'))).rejects.toThrow(
      'No service has used',
    )
  })

  test('a backup leaves no links in the data folder', async () => {
    await backupFolder(service, join(folder, 'plain'), { withoutSecretKey: true })
    expect((await readdir(service.dataDir)).filter((name) => name.startsWith('backup-'))).toEqual([])
    expect(await readdir(join(folder, 'plain'))).not.toContain('secret.key')
    const said = await restoreFolder({ dataDir: join(folder, 'keyless') }, join(folder, 'plain'))
    expect(said).toContain('sealed secrets and no file secret.key')
  })
})

describe('a restore', () => {
  const made = async (name: string): Promise<string> => {
    const target = join(folder, name)
    await upload(Buffer.from('RIFF'))
    await backupFolder(service, target)
    return target
  }
  const refusal = async (source: string): Promise<string> => {
    const dataDir = join(folder, 'refused')
    await mkdir(dataDir, { recursive: true })
    const error: unknown = await restoreFolder({ dataDir }, source).catch((caught: unknown) => caught)
    expect(await readdir(dataDir)).toEqual([])
    if (!(error instanceof UsageError)) throw error
    return error.message
  }

  test('refuses a folder that is not empty', async () => {
    const source = await made('first')
    await expect(restoreFolder(service, source)).rejects.toThrow(`${service.dataDir} is not empty`)
  })

  test('leaves nothing behind when an object has changed', async () => {
    const source = await made('changed')
    const [name = ''] = await readdir(join(source, 'files'))
    await appendFile(join(source, 'files', name), 'x')
    expect(await refusal(source)).toMatch(/files\/file_\w+ has changed: restore another backup/)
    await expect(verifyBackup(source)).rejects.toThrow('has changed')
  })

  test('leaves nothing behind when an object is missing', async () => {
    const source = await made('missing')
    const [name = ''] = await readdir(join(source, 'files'))
    await rm(join(source, 'files', name))
    expect(await refusal(source)).toMatch(/files\/file_\w+ is missing: restore another backup/)
  })

  test('backup verify finds any file that has changed or is missing', async () => {
    const source = await made('each')
    const entries = await readdir(source, { recursive: true, withFileTypes: true })
    const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    const compared = paths.filter((path) => !path.endsWith('manifest.jsonl'))
    expect(compared.length).toBeGreaterThan(2)
    for (const path of compared) {
      const bytes = await readFile(path)
      await appendFile(path, 'x')
      await expect(verifyBackup(source)).rejects.toThrow(`${path} has changed`)
      await rm(path)
      await expect(verifyBackup(source)).rejects.toThrow(`${path} is missing`)
      await writeFile(path, bytes)
    }
    expect(await verifyBackup(source)).toContain(`is sound: ${compared.length} files`)
  })

  test('refuses a backup without its end, and a folder that is none', async () => {
    const source = await made('cut')
    const manifest = join(source, 'manifest.jsonl')
    const { length } = await readFile(manifest)
    await truncate(manifest, length - 12)
    expect(await refusal(source)).toMatch(/is no backup|is not complete/)
    expect(await refusal(join(folder, 'nowhere'))).toMatch(/is no backup: it has no readable manifest\.jsonl/)
  })

  test('refuses a manifest whose path leaves the folder', async () => {
    const source = await made('path')
    const manifest = join(source, 'manifest.jsonl')
    await writeFile(manifest, (await readFile(manifest, 'utf8')).replace('"path":"files/', '"path":"../'))
    expect(await refusal(source)).toContain('is not complete')
  })
})
