import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import fastify from 'fastify'
import type { BareSpeech, BareText } from './bare-speech.ts'
import { tellCosts } from './tell-costs.ts'

/**
 * Process entry: flite by hand. Bare Fastify stores a row for each request, synced before the response, while a second
 * process speaks the input. It responds with all of the audio.
 */
const [, , folder = ''] = process.argv
const database = new DatabaseSync(join(folder, 'bare-speech.sqlite'))
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
database.exec('CREATE TABLE tasks (id TEXT PRIMARY KEY, status TEXT) STRICT')
const task = database.prepare("INSERT INTO tasks VALUES (?, 'PROCESSING')")

const engine = fork(fileURLToPath(new URL('./bare-engine-process.ts', import.meta.url)), {
  serialization: 'advanced',
  stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
})
const waiting = new Map<number, (pcm: Uint8Array) => void>()
engine.on('message', ({ id, pcm }: BareSpeech) => {
  waiting.get(id)?.(pcm)
  waiting.delete(id)
})
let count = 0
function speak(input: string, voiceId: string): Promise<Uint8Array> {
  count += 1
  const id = count
  const { promise, resolve } = Promise.withResolvers<Uint8Array>()
  waiting.set(id, resolve)
  engine.send({ id, input, voiceId } satisfies BareText)
  return promise
}

const app = fastify()
app.post<{ Body: { readonly input: string; readonly voice_id: string } }>(
  '/v1/audio/speech',
  async ({ body }, reply) => {
    const speech = speak(body.input, body.voice_id)
    task.run(`task_${randomUUID()}`)
    return reply.type('audio/pcm').send(Buffer.from(await speech))
  },
)
tellCosts({ origin: await app.listen({ host: '127.0.0.1', port: 0 }) })
