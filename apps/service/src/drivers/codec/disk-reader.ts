import type { BufferShare } from './buffer-budget.ts'
import { DiskBuffer } from './disk-buffer.ts'

/**
 * Writes at the producer's pace and yields at the reader's. A stalled reader does not stop the producer: unread bytes
 * wait in memory and, beyond 1 MiB, in a temporary file.
 *
 * @param produce Writes everything. It must stop when its signal aborts: the reader stopped, or `signal` aborted.
 * @param share What the unread bytes may use. @default no limit
 * @throws The error of `produce`, without yielding earlier bytes that are unread; the signal's reason.
 */
export async function* readThroughDisk(
  produce: (write: (chunk: Uint8Array) => Promise<void>, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
  share?: BufferShare,
): AsyncGenerator<Uint8Array> {
  const stop = new AbortController()
  const failed = new AbortController()
  const stopped = AbortSignal.any([signal, stop.signal])
  const buffer = new DiskBuffer(AbortSignal.any([stopped, failed.signal]), { share })
  const producing = produce((chunk) => buffer.write(chunk), stopped).then(
    () => buffer.end(),
    (error: unknown) => failed.abort(error),
  )
  try {
    yield* buffer.follow()
  } finally {
    stop.abort(new DOMException('The reader stopped', 'AbortError'))
    await producing
    await buffer.close()
  }
}
