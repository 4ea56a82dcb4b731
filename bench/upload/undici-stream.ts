import { createReadStream } from 'node:fs'
import { READ_BYTES, sendBare } from './bare-multipart.ts'
import type { UploadArgs } from './client-args.ts'

/**
 * The limit: undici with a file stream, as a careful engineer writes it by hand. Each read has memory of its own, which
 * is right wherever the chunks go.
 */
export function run(args: UploadArgs): Promise<string> {
  return sendBare(args, (path) => createReadStream(path, { highWaterMark: READ_BYTES }))
}
