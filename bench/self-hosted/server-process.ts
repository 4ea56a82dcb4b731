import { type ChildProcess, fork, spawn } from 'node:child_process'
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { open, readFile, stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ENGINE_PRIORITY, lowerPriority } from '../../engines/ports/src/driver/processor-time.ts'
import { forgetPeak, ownCpuSeconds, peakMemory } from '../harness/process-costs.ts'
import type { Spoken, Text } from './flite-process.ts'
import type { BareResponse, ServerCost, ServerRole } from './server.ts'

// Process entry: a measured server. Each role loads only its own libraries, because memory is measured. Arguments: the
// role, its folder, and the file of the responses or the key of the service.
const [, , role, folder, detail] = process.argv as [string, string, ServerRole, string, string]

/** Starts the server. @returns its address */
const ROLES: Readonly<Record<ServerRole, () => Promise<string>>> = {
  /** As `pnpm service` starts it. */
  async service() {
    const { startService } = await import('@svc-audio/service')
    const options = { dataDir: folder, port: 0, apiKeys: new Map([[detail, 'bench']]), openaiApi: true }
    return (await startService(options)).url
  },
  /** Returns prepared responses after reading their rows from the service's database. */
  async responses() {
    const database = new DatabaseSync(join(folder, 'service.sqlite'), { readOnly: true })
    // The case writes this file before it starts the process.
    const answers = JSON.parse(await readFile(detail, 'utf8')) as Record<string, BareResponse>
    const app = await bareFastify()
    const secret = randomBytes(32)
    for (const [path, { answer, queries, signs }] of Object.entries(answers)) {
      const statements = queries.map((query) => database.prepare(query))
      app.get(path, () => {
        for (const statement of statements) statement.all()
        if (signs) createHmac('sha256', secret).update(`${path}.${Date.now()}`).digest('base64url')
        return answer
      })
    }
    return app.listen(LOCAL)
  },
  /** Stores each request as two rows of SQLite, synced before the response. */
  async accept() {
    const database = syncedDatabase()
    database.exec('CREATE TABLE jobs (task_id TEXT PRIMARY KEY, request TEXT) STRICT')
    const [begin, task, job, commit] = [
      'BEGIN IMMEDIATE',
      "INSERT INTO tasks VALUES (?, 'PENDING')",
      'INSERT INTO jobs VALUES (?, ?)',
      'COMMIT',
    ].map((sql) => database.prepare(sql))
    const app = await bareFastify()
    app.post('/v1/audio/speech', (request) => {
      const id = `task_${randomUUID()}`
      begin?.run()
      task?.run(id)
      job?.run(id, JSON.stringify(request.body))
      commit?.run()
      return { task_id: id, status: 'PENDING' }
    })
    return app.listen(LOCAL)
  },
  /** Writes an upload into the folder, and syncs it. */
  async upload() {
    const { default: multipart } = await import('@fastify/multipart')
    const app = await bareFastify()
    await app.register(multipart, { limits: { fileSize: Number.MAX_SAFE_INTEGER } })
    const store = async (request: FastifyRequest): Promise<object> => {
      const part = await request.file()
      if (part === undefined) throw new Error('There is no file')
      const path = join(folder, 'upload')
      await pipeline(part.file, createWriteStream(path))
      const file = await open(path)
      await file.datasync()
      await file.close()
      return { bytes: (await stat(path)).size }
    }
    app.route({ method: 'POST', url: '/v1/files', handler: store })
    return app.listen(LOCAL)
  },
  speech: () => speechByHand(1),
  pipeline: () => speechByHand(availableParallelism()),
}

const LOCAL = { host: '127.0.0.1', port: 0 }

async function bareFastify(): Promise<FastifyInstance> {
  const { default: fastify } = await import('fastify')
  return fastify()
}

/** A database with a table of tasks. */
function syncedDatabase(): DatabaseSync {
  const database = new DatabaseSync(join(folder, 'bare.sqlite'))
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  database.exec('CREATE TABLE tasks (id TEXT PRIMARY KEY, status TEXT) STRICT')
  return database
}

const PCM = { sampleRate: 16_000, channels: 1, bitDepth: 16 } as const
const MP3 = '-hide_banner -loglevel error -f s16le -ar 16000 -ac 1 -i pipe:0 -threads 1 -c:a libmp3lame -b:a 64k -f mp3'

interface SpeechBody {
  readonly input: string
  readonly voice_id: string
  readonly response_format: string
}

/**
 * Speech as PCM, WAV or mp3. A row for each request is synced before the response. Processes speak with flite, each one
 * text after the other. The system's ffmpeg makes mp3.
 */
async function speechByHand(engines: number): Promise<string> {
  const { encodeWav } = await import('@svc-audio/core/audio')
  const task = syncedDatabase().prepare("INSERT INTO tasks VALUES (?, 'PROCESSING')")
  const speak = startFlite(engines)
  const app = await bareFastify()
  app.post<{ Body: SpeechBody }>('/v1/audio/speech', async ({ body }, reply) => {
    const speech = speak({ input: body.input, voiceId: body.voice_id })
    task.run(`task_${randomUUID()}`)
    const pcm = await speech
    if (body.response_format === 'pcm') return reply.type('audio/pcm').send(Buffer.from(pcm))
    if (body.response_format === 'mp3') return reply.type('audio/mpeg').send(await toMp3(pcm))
    return reply.type('audio/wav').send(Buffer.from(encodeWav(PCM, [pcm])))
  })
  return app.listen(LOCAL)
}

/** Starts processes of flite. @returns a function that speaks a text as soon as one is idle */
function startFlite(count: number): (text: Text) => Promise<Uint8Array> {
  const waiting: { readonly text: Text; readonly spoken: (pcm: Uint8Array) => void }[] = []
  const idle: ChildProcess[] = Array.from({ length: count }, () =>
    fork(fileURLToPath(new URL('./flite-process.ts', import.meta.url)), {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    }),
  )
  const next = (): void => {
    while (idle.length > 0 && waiting.length > 0) {
      const engine = idle.pop()
      const work = waiting.shift()
      if (engine === undefined || work === undefined) return
      engine.once('message', ({ pcm }: Spoken) => {
        idle.push(engine)
        work.spoken(pcm)
        next()
      })
      engine.send(work.text)
    }
  }
  return (text) => {
    const { promise, resolve } = Promise.withResolvers<Uint8Array>()
    waiting.push({ text, spoken: resolve })
    next()
    return promise
  }
}

async function toMp3(pcm: Uint8Array): Promise<Buffer> {
  const ffmpeg = spawn('ffmpeg', [...MP3.split(' '), 'pipe:1'], { stdio: ['pipe', 'pipe', 'inherit'] })
  lowerPriority(ffmpeg.pid, ENGINE_PRIORITY)
  ffmpeg.stdin.end(pcm)
  return buffer(ffmpeg.stdout)
}

const origin = await ROLES[role]()
let since = process.cpuUsage()
let before = process.memoryUsage.rss()
process.on('message', () => {
  const cost: ServerCost = { cpuSeconds: ownCpuSeconds(since), residentBytes: before, peakBytes: peakMemory() }
  forgetPeak()
  since = process.cpuUsage()
  before = process.memoryUsage.rss()
  process.send?.(cost)
})
process.once('disconnect', () => process.exit())
process.send?.(origin)
