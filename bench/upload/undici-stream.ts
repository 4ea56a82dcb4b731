import { createReadStream } from 'node:fs'
import { READ_BYTES, sendBare } from './bare-multipart.ts'
import type { UploadArgs } from './client-args.ts'

/**
 * The limit: undici with a file stream, as careful engineers write it. Each read has separate memory, which is safe for
 * any receiver.
 */
export function run(args: UploadArgs): Promise<string> {
  return sendBare(args, (path) => createReadStream(path, { highWaterMark: READ_BYTES }))
}
