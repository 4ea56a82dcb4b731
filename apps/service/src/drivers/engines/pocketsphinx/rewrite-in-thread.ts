import { type StartThread, threadHere } from '../threads/thread.ts'

const WORKER = new URL(import.meta.url.endsWith('.ts') ? './rewrite-worker.ts' : './rewrite-worker.js', import.meta.url)

/** Options of {@link rewriteInThread}. */
export interface RewriteOptions {
  readonly signal?: AbortSignal | undefined
  /** @default in this process */
  readonly startThread?: StartThread | undefined
}

/**
 * Runs `rewriteModule` in a separate thread, which blocks nothing and frees its memory. The thread does not keep the
 * process alive.
 * @throws The thread's error, and the signal's reason when it aborts.
 */
export async function rewriteInThread(
  bytes: Uint8Array,
  { signal, startThread = threadHere }: RewriteOptions = {},
): Promise<Uint8Array> {
  signal?.throwIfAborted()
  const worker = startThread<Uint8Array>(WORKER, { name: 'pocketsphinx-rewrite', data: bytes })
  worker.unref()
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
  const onAbort = (): void => reject(signal?.reason)
  signal?.addEventListener('abort', onAbort, { once: true })
  worker.on('message', resolve)
  worker.on('error', reject)
  worker.on('exit', (code) => reject(new Error(`The rewriting thread ended with code ${code}`)))
  try {
    return await promise
  } finally {
    signal?.removeEventListener('abort', onAbort)
    await worker.terminate()
  }
}
