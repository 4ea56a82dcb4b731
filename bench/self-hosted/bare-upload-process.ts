import { createWriteStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import multipart from '@fastify/multipart'
import fastify, { type FastifyRequest } from 'fastify'
import { tellCosts } from './tell-costs.ts'

/** Process entry: bare Fastify, which writes an upload into the folder in its argument, and syncs it. */
const [, , folder = ''] = process.argv
const app = fastify()
await app.register(multipart, { limits: { fileSize: Number.MAX_SAFE_INTEGER } })
const keep = async (request: FastifyRequest): Promise<object> => {
  const part = await request.file()
  if (part === undefined) throw new Error('There is no file')
  const path = join(folder, 'upload')
  await pipeline(part.file, createWriteStream(path))
  const file = await open(path)
  await file.datasync()
  await file.close()
  return { bytes: (await stat(path)).size }
}
app.route({ method: 'POST', url: '/v1/files', handler: keep })
tellCosts({ origin: await app.listen({ host: '127.0.0.1', port: 0 }) })
