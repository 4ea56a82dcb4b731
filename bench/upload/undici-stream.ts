import { createReadStream } from 'node:fs'
import { READ_BYTES, sendBare } from './bare-multipart.ts'
import type { UploadArgs } from './client-args.ts'

/** undici as most would write it: a file stream, a fresh buffer for every read. */
export function run(args: UploadArgs): Promise<string> {
  return sendBare(args, (path) => createReadStream(path, { highWaterMark: READ_BYTES }))
}
