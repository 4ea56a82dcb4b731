import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fastify from 'fastify'
import { ANSWERS_FILE } from './answers-file.ts'
import { tellCosts } from './tell-costs.ts'

/** Process entry: bare Fastify, which gives ready-made answers: path by path, the objects in the folder's file. */
const [, , folder = ''] = process.argv
// The case that starts this has written it.
const answers = JSON.parse(await readFile(join(folder, ANSWERS_FILE), 'utf8')) as Record<string, object>
const app = fastify()
for (const [path, answer] of Object.entries(answers)) app.get(path, () => answer)
tellCosts({ origin: await app.listen({ host: '127.0.0.1', port: 0 }) })
