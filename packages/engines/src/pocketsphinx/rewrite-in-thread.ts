import { SupervisedThread, type ThreadJob } from '../threads/supervised-thread.ts'
import { type StartThread, threadHere } from '../threads/thread.ts'

const WORKER = new URL(import.meta.url.endsWith('.ts') ? './rewrite-worker.ts' : './rewrite-worker.js', import.meta.url)

/** Options of {@link rewriteInThread}. */
export interface RewriteOptions {
  readonly signal?: AbortSignal | undefined
  /** @default in this process */
  readonly startThread?: StartThread | undefined
}

/** The thread's data are its work, and its one message is the result. */
const REWRITE: ThreadJob<never, Uint8Array, Uint8Array> = {
  start: (thread) => thread.watch(),
  receive: (result) => ({ result }),
}

/**
 * Runs `rewriteModule` in a separate thread, which blocks nothing and frees its memory.
 * @throws EngineFailedError when the thread fails, EngineStuckError when it hangs, and the signal's reason when it
 * aborts.
 */
export async function rewriteInThread(
  bytes: Uint8Array,
  { signal = new AbortController().signal, startThread = threadHere }: RewriteOptions = {},
): Promise<Uint8Array> {
  signal.throwIfAborted()
  const thread = new SupervisedThread<never, Uint8Array>(
    () => startThread(WORKER, { name: 'pocketsphinx-rewrite', data: bytes }),
    { label: 'The rewriting thread' },
  )
  try {
    return await thread.run(REWRITE, signal)
  } finally {
    await thread.end()
  }
}
