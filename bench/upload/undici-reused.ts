import { open } from 'node:fs/promises'
import { READ_BYTES, sendBare } from './bare-multipart.ts'
import type { UploadArgs } from './client-args.ts'

/**
 * undici and two buffers in turn, so that no memory is asked for while the file is sent. It is no limit to hold anyone
 * to, since nothing but the size of the chunks keeps it from overwriting bytes that still wait to be sent. Here it shows
 * what there is to gain.
 */
export function run(args: UploadArgs): Promise<string> {
  return sendBare(args, readInTurn)
}

/** Every chunk but the last is larger than the socket's own buffer, so undici waits before it asks for the next. */
async function* readInTurn(path: string): AsyncGenerator<Uint8Array, void, undefined> {
  const file = await open(path)
  let [next, other] = [Buffer.allocUnsafeSlow(READ_BYTES), Buffer.allocUnsafeSlow(READ_BYTES)]
  try {
    for (;;) {
      const { bytesRead } = await file.read(next, 0, READ_BYTES)
      if (bytesRead === 0) return
      yield next.subarray(0, bytesRead)
      ;[next, other] = [other, next]
    }
  } finally {
    await file.close()
  }
}
