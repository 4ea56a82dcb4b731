import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fastify from 'fastify'
import { tellCosts } from './tell-costs.ts'

/** Process entry: bare Fastify, which stores each request as two rows of SQLite, synced before the response. */
const [, , folder = ''] = process.argv
const database = new DatabaseSync(join(folder, 'bare.sqlite'))
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
database.exec('CREATE TABLE tasks (id TEXT PRIMARY KEY, status TEXT) STRICT')
database.exec('CREATE TABLE jobs (task_id TEXT PRIMARY KEY, request TEXT) STRICT')
const [begin, task, job, commit] = [
  'BEGIN IMMEDIATE',
  "INSERT INTO tasks VALUES (?, 'PENDING')",
  'INSERT INTO jobs VALUES (?, ?)',
  'COMMIT',
].map((sql) => database.prepare(sql))

const app = fastify()
app.post('/v1/audio/speech', (request) => {
  const id = `task_${randomUUID()}`
  begin?.run()
  task?.run(id)
  job?.run(id, JSON.stringify(request.body))
  commit?.run()
  return { task_id: id, status: 'PENDING' }
})
tellCosts({ origin: await app.listen({ host: '127.0.0.1', port: 0 }) })
