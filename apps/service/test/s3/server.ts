import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from 's3rver'

/** A service on this machine that speaks S3. */
export interface S3Server {
  readonly endpoint: string
  readonly bucket: string
  stop(): Promise<void>
}

/** The credentials that the server knows, as the environment of a program. */
export const S3_CREDENTIALS = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' }

/** Name of the bucket. */
export const BUCKET = 'svc-audio-test'

/** Starts a server with one empty bucket. */
export async function startS3(): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-audio-s3-'))
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: BUCKET }],
  })
  const { port } = await server.run()
  return {
    endpoint: `http://127.0.0.1:${port}`,
    bucket: BUCKET,
    async stop() {
      await server.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
