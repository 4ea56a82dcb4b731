// S3 as a separate process, which a test kills and stops: `process-main.ts <folder> <port>`. Tells its parent the port.
// An object appears whole or not at all, and its response follows its last byte, as with S3. s3rver's own store writes in
// place.
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import S3rver from 's3rver'
import { BUCKET } from './server.ts'

const [folder = '', port = ''] = process.argv.slice(2)
const server = new S3rver({
  address: '127.0.0.1',
  port: Number(port),
  silent: true,
  directory: join(folder, 'buckets'),
  configureBuckets: [{ name: BUCKET }],
})
const incoming = join(folder, 'incoming')
await mkdir(incoming, { recursive: true })

const { store } = server
store.putObject = async ({ bucket, key, content, metadata }) => {
  const bytes = Buffer.isBuffer(content) ? content : await buffer(content)
  const md5 = createHash('md5').update(bytes).digest('hex')
  const path = store.getResourcePath(bucket, key, 'object')
  const whole = join(incoming, randomUUID())
  await mkdir(dirname(path), { recursive: true })
  await writeFile(whole, bytes)
  await store.putMetadata(bucket, key, metadata, md5)
  await rename(whole, path)
  return { size: bytes.length, md5 }
}
process.send?.(await server.run())
// The parent has ended.
process.on('disconnect', () => process.exit())
