import { createHmac, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fastify from 'fastify'
import { ANSWERS_FILE, type BareResponse } from './responses-file.ts'
import { tellCosts } from './tell-costs.ts'

/** Process entry: bare Fastify, which returns prepared responses after reading their rows from the service's database. */
const [, , folder = ''] = process.argv
const database = new DatabaseSync(join(folder, 'service.sqlite'), { readOnly: true })
// The case writes this file before it starts the process.
const answers = JSON.parse(await readFile(join(folder, ANSWERS_FILE), 'utf8')) as Record<string, BareResponse>
const app = fastify()
const secret = randomBytes(32)
for (const [path, { answer, queries, signs }] of Object.entries(answers)) {
  const statements = queries.map((query) => database.prepare(query))
  app.get(path, () => {
    for (const statement of statements) statement.all()
    if (signs) createHmac('sha256', secret).update(`${path}.${Date.now()}`).digest('base64url')
    return answer
  })
}
tellCosts({ origin: await app.listen({ host: '127.0.0.1', port: 0 }) })
