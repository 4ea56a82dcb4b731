import { open } from 'node:fs/promises'
import { READ_BYTES, sendBare } from './bare-multipart.ts'
import type { UploadArgs } from './client-args.ts'

/** The limit: undici and two buffers in turn, so that no memory is asked for while the file is sent. */
export function run(args: UploadArgs): Promise<string> {
  return sendBare(args, readInTurn)
}

/**
 * undici asks for the next chunk when the socket has taken the last one, so the buffer before that is free. Every chunk
 * but the last is larger than the socket's own buffer, which makes it wait.
 */
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
