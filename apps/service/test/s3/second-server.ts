import { startFauxqs } from 'fauxqs'
import { BUCKET, type S3Server } from './server.ts'

/** Starts another program that speaks S3, with one empty bucket. It checks more of each request than the first. */
export async function startSecondS3(): Promise<S3Server> {
  const server = await startFauxqs({ port: 0, host: '127.0.0.1', logger: false })
  server.createBucket(BUCKET)
  return { endpoint: `http://127.0.0.1:${server.port}`, bucket: BUCKET, stop: () => server.stop() }
}
