import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** How much is kept in memory before a file takes the rest: 32 MB, eleven minutes of 24 kHz speech. */
const MEMORY_BYTES = 32 * 1024 * 1024

const READ_BYTES = 64 * 1024

/**
 * Bytes put aside until the end of a stream is known. The first {@link MEMORY_BYTES} stay in memory, the rest goes to a
 * temporary file that has no name from the moment it exists: however this process ends, nothing is left on the disk.
 */
export class Spool {
  readonly #memoryBytes: number
  readonly #signal: AbortSignal
  readonly #close = (): void => void this.close()
  #memory: Uint8Array[] = []
  #held = 0
  #file: Promise<FileHandle> | undefined
  #spilled = 0

  /**
   * @param signal When it aborts, the spool closes.
   * @param memoryBytes Bytes kept in memory. @default 32 MiB
   */
  constructor(signal: AbortSignal, memoryBytes: number = MEMORY_BYTES) {
    this.#memoryBytes = memoryBytes
    this.#signal = signal
    signal.addEventListener('abort', this.#close, { once: true })
  }

  /** Bytes written so far. */
  get byteLength(): number {
    return this.#held + this.#spilled
  }

  /** Adds bytes. The chunk must not be changed afterwards. */
  async write(chunk: Uint8Array): Promise<void> {
    this.#signal.throwIfAborted()
    if (this.#file === undefined && this.#held + chunk.byteLength <= this.#memoryBytes) {
      this.#memory.push(chunk)
      this.#held += chunk.byteLength
      return
    }
    this.#file ??= openUnnamed()
    const file = await this.#file
    for (let written = 0; written < chunk.byteLength;) {
      const { bytesWritten } = await file.write(chunk, written)
      written += bytesWritten
    }
    this.#spilled += chunk.byteLength
  }

  /** All bytes, in the order they were written. @throws The signal's reason, once it has aborted. */
  async *read(): AsyncGenerator<Uint8Array> {
    for (const chunk of this.#memory) {
      yield chunk
      this.#signal.throwIfAborted()
    }
    const file = await this.#file
    if (file === undefined) return
    for (let position = 0; position < this.#spilled;) {
      this.#signal.throwIfAborted()
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(READ_BYTES), { position })
      if (bytesRead === 0) throw new Error('A temporary file was cut short')
      position += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  }

  /** Frees memory and disk. What was written is gone. */
  async close(): Promise<void> {
    this.#signal.removeEventListener('abort', this.#close)
    this.#memory = []
    const file = this.#file
    this.#file = undefined
    // A file that could not be opened was reported to the writer.
    await file?.then(
      (handle) => handle.close(),
      () => undefined,
    )
  }
}

async function openUnnamed(): Promise<FileHandle> {
  const path = join(tmpdir(), `svc-audio-${randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  try {
    await unlink(path)
  } catch (error) {
    await file.close()
    throw error
  }
  return file
}
