import assert from 'node:assert/strict'

/** One fact that every driver of a port must hold. It names the fact, and throws an AssertionError where it fails. */
export interface ContractCase<Subject> {
  /** The fact, as a sentence: the name of a test. */
  readonly name: string
  /** Checks the fact on a new engine. */
  readonly run: (subject: Subject) => Promise<void>
}

/** An engine that a case closes at its end. */
interface Closable {
  close(): Promise<void>
}

/** Runs `use` with a new engine, and closes the engine afterwards. */
export async function withEngine<Engine extends Closable>(
  create: () => Promise<Engine>,
  use: (engine: Engine) => Promise<void>,
): Promise<void> {
  const engine = await create()
  try {
    await use(engine)
  } finally {
    await engine.close()
  }
}

/** The bytes of a stream. */
export async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return Buffer.concat(parts)
}

/** Sends bytes in chunks of a size, odd sizes too. */
export async function* chunksOf(bytes: Uint8Array, size = 4096): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** A source of 16 kHz mono PCM that sends silence for ever and notes whether its reader has closed it. */
export class EndlessSilence implements AsyncIterable<Uint8Array> {
  isClosed = false
  readonly #onChunk: (chunks: number) => void

  /** @param onChunk Called before each chunk of a tenth of a second, with the number of earlier chunks. */
  constructor(onChunk: (chunks: number) => void = () => undefined) {
    this.#onChunk = onChunk
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (let chunks = 0; ; chunks += 1) {
        this.#onChunk(chunks)
        // Lets timers and aborts run, as a file or a socket would.
        await new Promise((resolve) => setImmediate(resolve))
        yield new Uint8Array(3200)
      }
    } finally {
      this.isClosed = true
    }
  }
}

/** An error that no driver makes itself. */
export class SourceFault extends Error {
  override readonly name = 'SourceFault' as const
}

/** A source that fails after half a second of silence. */
export async function* failingSource(): AsyncGenerator<Uint8Array, void, undefined> {
  yield new Uint8Array(16_000)
  throw new SourceFault('The source failed')
}

/** Checks that work rejects with this reason of a signal. */
export async function rejectsWith(work: Promise<unknown>, reason: unknown): Promise<void> {
  const outcome = await work.then(
    () => 'it resolved',
    (error: unknown) => error,
  )
  assert.equal(outcome, reason, "it must reject with the signal's reason")
}
