/*
 * A rolling upgrade under load: `node test/cluster/upgrade-from.ts [revision]`. Processes of that revision of this
 * repository (the first one with a cluster, unless named) are replaced by today's, one by one, while clients send tasks
 * and files. Needs PostgreSQL and the history of the repository.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { AudioClient } from '@svc-audio/core'
import { freePort } from '@svc-audio/kit/hosts'
import { startPostgres } from '../postgres/server.ts'
import { startS3Process } from '../s3/process.ts'
import { S3_CREDENTIALS } from '../s3/server.ts'
import { openUploads } from './chaos/evidence.ts'

const run = promisify(execFile)

/** The first revision whose tables have never been changed but by migrations. */
const FIRST_CLUSTER = 'bedf1efe'
const ROOT = join(import.meta.dirname, '../../../..')
const KEY = 'key-of-the-upgrade'
/** Time of load before, between and after the replacements, in milliseconds. */
const LOAD_MS = 8000

const PUBLIC_URL = 'http://results.invalid'

/** A process of the cluster. */
interface ClusterProcess {
  readonly url: string
  /** Ends it as an operator does: other processes continue its work. */
  stop(): Promise<void>
}

/** What a client was told. */
interface Accepted {
  readonly kind: 'speech' | 'file'
  readonly id: string
  readonly hash: string
}

async function unpack(revision: string, folder: string): Promise<void> {
  await run('git', ['worktree', 'add', '--detach', folder, revision], { cwd: ROOT })
  for (const command of [['install', '--frozen-lockfile'], ['build']]) {
    process.stdout.write(`${revision}: pnpm ${command.join(' ')}\n`)
    await run('npx', ['-y', 'pnpm@12', ...command], { cwd: folder, maxBuffer: 64 * 1024 * 1024 })
  }
}

async function startProcess(
  root: string,
  role: 'api' | 'worker',
  environment: NodeJS.ProcessEnv,
): Promise<ClusterProcess> {
  const port = await freePort()
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-audio-upgrade-'))
  const options = ['--role', role, '--port', String(port), '--data-dir', dataDir, '--public-url', PUBLIC_URL]
  const child = spawn(process.execPath, [join(root, 'apps/service/dist/main.js'), ...options], {
    env: environment,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const url = `http://127.0.0.1:${port}`
  await untilReady(url, child)
  return {
    url,
    async stop() {
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      await gone
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    if (child.exitCode !== null) throw new Error(`A process ended with ${child.exitCode}`)
    const response = await fetch(`${url}/readyz`).catch(() => undefined)
    if (response?.ok === true) return
    await sleep(200)
  }
  throw new Error(`${url} is not ready`)
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Reads a result by any API process. The link leads to the bucket. */
async function hashOfResult(api: string, link: string): Promise<string> {
  const { pathname, search } = new URL(link)
  const response = await fetch(`${api}${pathname}${search}`)
  if (!response.ok) throw new Error(`A result answers ${response.status}`)
  return hashOf(await response.bytes())
}

const revision = process.argv[2] ?? FIRST_CLUSTER
const folder = await mkdtemp(join(tmpdir(), 'svc-audio-revision-'))
const old = join(folder, 'repository')
const [postgres, s3] = await Promise.all([startPostgres(), startS3Process()])
const environment = {
  ...process.env,
  ...S3_CREDENTIALS,
  DATABASE_URL: postgres.url,
  S3_BUCKET: s3.bucket,
  S3_ENDPOINT: `http://127.0.0.1:${s3.port}`,
  SVC_AUDIO_SECRET_KEY: 'a-key-of-at-least-32-characters-for-tests',
  SVC_AUDIO_API_KEYS: `first:${KEY}`,
  SVC_AUDIO_LOG_LEVEL: 'error',
}
const running = new Set<ClusterProcess>()
const apis: ClusterProcess[] = []
const broken: string[] = []

async function begin(root: string, role: 'api' | 'worker'): Promise<ClusterProcess> {
  const started = await startProcess(root, role, environment)
  running.add(started)
  if (role === 'api') apis.push(started)
  return started
}

async function end(ended: ClusterProcess): Promise<void> {
  // A load balancer sends nothing to a process that it is told to stop.
  if (apis.includes(ended)) apis.splice(apis.indexOf(ended), 1)
  await sleep(500)
  await ended.stop()
  running.delete(ended)
}

async function migrate(root: string): Promise<void> {
  await run(process.execPath, [join(root, 'apps/service/dist/main.js'), 'migrate'], { env: environment })
}

try {
  await unpack(revision, old)
  await migrate(old)
  const api = await begin(old, 'api')
  const worker = await begin(old, 'worker')
  const accepted: Accepted[] = []
  const over = new AbortController()
  let requests = 0
  const user = async (name: number): Promise<void> => {
    for (let turn = 0; !over.signal.aborted; turn += 1) {
      const target = apis[turn % apis.length] ?? api
      const client = new AudioClient({ baseUrl: target.url, apiKey: KEY, maxRetries: 0 })
      try {
        requests += 1
        if (turn % 4 === 3) {
          const content = Buffer.from(`A file of user ${name}, number ${turn}`)
          const { id } = await client.files.create({ file: new File([content], 'notes.wav'), purpose: 'audio' })
          accepted.push({ kind: 'file', id, hash: hashOf(content) })
          continue
        }
        const speech = {
          model: 'svc-tts-1.0-pro',
          input: `Number ${turn}.`,
          voice_id: 'rms',
          response_format: 'wav',
        } as const
        const { id } = await client.speech.createTask(speech)
        const { status, url } = await waitFor(id)
        if (status === 'SUCCESS')
          accepted.push({ kind: 'speech', id, hash: await hashOfResult((apis[0] ?? api).url, url) })
        else broken.push(`${id} is ${status}`)
      } catch (error) {
        broken.push(`A request failed: ${String(error)}`)
      } finally {
        await client.close()
      }
    }
  }
  /** Asks every API process in turn, those that will be stopped too. */
  const waitFor = async (id: string): Promise<{ readonly status: string; readonly url: string }> => {
    for (let turn = 0; ; turn += 1) {
      const target = apis[turn % apis.length] ?? api
      const response = await fetch(`${target.url}/v1/audio/tasks/${id}`, {
        headers: { authorization: `Bearer ${KEY}` },
      })
      const task = (await response.json()) as { readonly status: string; readonly url: string }
      if (!response.ok || /^(?:SUCCESS|FAILED)$/.test(task.status)) return task
      await sleep(100)
    }
  }
  const users = Promise.all([1, 2, 3, 4].map(user))
  await sleep(LOAD_MS)
  process.stdout.write(`${accepted.length} accepted; migrate\n`)
  await migrate(ROOT)
  const newApi = await begin(ROOT, 'api')
  const newWorker = await begin(ROOT, 'worker')
  await sleep(LOAD_MS)
  process.stdout.write(`${accepted.length} accepted; the old processes end\n`)
  await end(api)
  await end(worker)
  await sleep(LOAD_MS)
  over.abort()
  await users
  const client = new AudioClient({ baseUrl: newApi.url, apiKey: KEY })
  Object.assign(process.env, S3_CREDENTIALS)
  const uploads = await openUploads(s3)
  for (const { kind, id, hash } of accepted) {
    if (kind === 'file') await client.files.retrieve(id)
    const bytes =
      kind === 'file' ? hashOf(await uploads.read(id)) : await hashOfResult(newApi.url, (await waitFor(id)).url)
    if (bytes !== hash) broken.push(`${id} has other bytes after the upgrade`)
  }
  uploads.close()
  await client.close()
  await Promise.all([end(newApi), end(newWorker)])
  if (accepted.length === 0) broken.push('Nothing was accepted')
  process.stdout.write(`${requests} requests, ${accepted.length} accepted and compared\n`)
} finally {
  await Promise.all([...running].map((one) => one.stop()))
  await Promise.all([postgres.stop(), s3.stop()])
  await run('git', ['worktree', 'remove', '--force', old], { cwd: ROOT }).catch(() => {})
  await rm(folder, { recursive: true, force: true })
}
process.stdout.write(`${broken.length === 0 ? 'Every promise held' : broken.join('\n')}\n`)
process.exitCode = broken.length === 0 ? 0 : 1
