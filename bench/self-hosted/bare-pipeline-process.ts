import { type ChildProcess, fork, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import fastify from 'fastify'
import { encodeWav } from '@svc-audio/core/audio'
import { ENGINE_PRIORITY, lowerPriority } from '../../engines/ports/src/driver/priorities.ts'
import type { BareSpeech, BareText } from './bare-speech.ts'
import { tellCosts } from './tell-costs.ts'

/**
 * Process entry: speech by hand, as WAV or mp3. Bare Fastify stores a row for each request, synced before the response.
 * One process per processor speaks with flite, one text after the other. The system's ffmpeg makes mp3.
 */
const [, , folder = ''] = process.argv
const database = new DatabaseSync(join(folder, 'bare-pipeline.sqlite'))
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
database.exec('CREATE TABLE IF NOT EXISTS tasks (id TEXT PRIMARY KEY, status TEXT) STRICT')
const task = database.prepare("INSERT INTO tasks VALUES (?, 'PROCESSING')")

const FORMAT = { sampleRate: 16_000, channels: 1, bitDepth: 16 } as const
const MP3 = '-hide_banner -loglevel error -f s16le -ar 16000 -ac 1 -i pipe:0 -threads 1 -c:a libmp3lame -b:a 64k -f mp3'

/** A text that waits for an engine. */
interface Waiting {
  readonly text: BareText
  readonly spoken: (pcm: Uint8Array) => void
}
const waiting: Waiting[] = []
const idle: ChildProcess[] = Array.from({ length: availableParallelism() }, () =>
  fork(fileURLToPath(new URL('./bare-engine-process.ts', import.meta.url)), {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  }),
)

function next(): void {
  while (idle.length > 0 && waiting.length > 0) {
    const engine = idle.pop()
    const work = waiting.shift()
    if (engine === undefined || work === undefined) return
    engine.once('message', ({ pcm }: BareSpeech) => {
      idle.push(engine)
      work.spoken(pcm)
      next()
    })
    engine.send(work.text)
  }
}

let count = 0
function speak(input: string, voiceId: string): Promise<Uint8Array> {
  count += 1
  const { promise, resolve } = Promise.withResolvers<Uint8Array>()
  waiting.push({ text: { id: count, input, voiceId }, spoken: resolve })
  next()
  return promise
}

async function toMp3(pcm: Uint8Array): Promise<Buffer> {
  const ffmpeg = spawn('ffmpeg', [...MP3.split(' '), 'pipe:1'], { stdio: ['pipe', 'pipe', 'inherit'] })
  lowerPriority(ffmpeg.pid, ENGINE_PRIORITY)
  ffmpeg.stdin.end(pcm)
  return buffer(ffmpeg.stdout)
}

interface SpeechBody {
  readonly input: string
  readonly voice_id: string
  readonly response_format: string
}

const app = fastify()
app.post<{ Body: SpeechBody }>('/v1/audio/speech', async ({ body }, reply) => {
  const speech = speak(body.input, body.voice_id)
  task.run(`task_${randomUUID()}`)
  const pcm = await speech
  if (body.response_format === 'mp3') return reply.type('audio/mpeg').send(await toMp3(pcm))
  return reply.type('audio/wav').send(Buffer.from(encodeWav(FORMAT, [pcm])))
})
tellCosts({ origin: await app.listen({ host: '127.0.0.1', port: 0 }) })
