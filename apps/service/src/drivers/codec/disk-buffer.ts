import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UnsentLimitError } from '@svc-audio/engine-ports'

/** Default bytes in memory before a file takes the rest: 1 MiB, half a minute of speech, or two minutes of mp3. */
const MEMORY_BYTES = 1024 * 1024

/** Options of {@link DiskBuffer}. */
export interface DiskBufferOptions {
  /** Bytes stored in memory. @default 1 MiB */
  readonly memoryBytes?: number
  /** What the buffer may use. Without memory, a file takes the bytes. @default no limit */
  readonly share?: BufferShare | undefined
}

/** Replaces a chunk that was read and freed. */
const FREED = new Uint8Array()

const READ_BYTES = 64 * 1024

/**
 * Stores bytes until the end of a stream is known. The first {@link MEMORY_BYTES} stay in memory. The rest goes to a
 * temporary file that is unlinked at once, so it never outlives this process.
 */
export class DiskBuffer {
  readonly #memoryBytes: number
  readonly #share: BufferShare
  /** Memory and space in a file that this buffer has taken. */
  #taken = { memory: 0, file: 0 }
  readonly #signal: AbortSignal
  readonly #close = (): void => void this.close()
  #memory: Uint8Array[] = []
  #held = 0
  #file: Promise<FileHandle> | undefined
  #spilled = 0
  #ended = false
  #wake: (() => void) | undefined

  /**
   * @param signal When it aborts, the buffer closes.
   */
  constructor(
    signal: AbortSignal,
    { memoryBytes = MEMORY_BYTES, share = new BufferBudget().of('') }: DiskBufferOptions = {},
  ) {
    this.#memoryBytes = memoryBytes
    this.#share = share
    this.#signal = signal
    signal.addEventListener('abort', this.#close, { once: true })
  }

  /** Bytes written so far. */
  get byteLength(): number {
    return this.#held + this.#spilled
  }

  /** Adds bytes. Do not change the chunk afterwards. @throws UnsentLimitError when the share is used up */
  async write(chunk: Uint8Array): Promise<void> {
    this.#signal.throwIfAborted()
    const { byteLength } = chunk
    const fits = this.#file === undefined && this.#held + byteLength <= this.#memoryBytes
    if (fits && this.#share.takeMemory(byteLength)) {
      this.#taken.memory += byteLength
      this.#memory.push(chunk)
      this.#held += chunk.byteLength
      this.#wake?.()
      return
    }
    this.#share.takeFile(byteLength)
    this.#taken.file += byteLength
    this.#file ??= openUnnamed()
    const file = await this.#file
    for (let written = 0; written < chunk.byteLength;) {
      const { bytesWritten } = await file.write(chunk, written)
      written += bytesWritten
    }
    this.#spilled += chunk.byteLength
    this.#wake?.()
  }

  /** Marks the end. {@link follow} ends after the last byte. */
  end(): void {
    this.#ended = true
    this.#wake?.()
  }

  /**
   * Yields the bytes while they are written, and waits for more until {@link end}. Frees the memory of yielded bytes,
   * so follow a buffer only once.
   * @throws The signal's reason after it aborts.
   */
  async *follow(): AsyncGenerator<Uint8Array> {
    let position = 0
    for (let index = 0; ;) {
      const ended = this.#ended
      for (; index < this.#memory.length; index += 1) {
        const chunk = this.#memory[index] ?? FREED
        this.#memory[index] = FREED
        this.#held -= chunk.byteLength
        this.#releaseMemory(chunk.byteLength)
        yield chunk
        this.#signal.throwIfAborted()
      }
      for await (const chunk of this.#readFile(position)) {
        position += chunk.byteLength
        yield chunk
      }
      if (ended) return
      if (index === this.#memory.length && position === this.#spilled && !this.#ended) await this.#change()
    }
  }

  #releaseMemory(bytes: number): void {
    // A closed buffer has released everything.
    const held = Math.min(bytes, this.#taken.memory)
    this.#taken.memory -= held
    this.#share.releaseMemory(held)
  }

  /** Resolves when bytes are written or the end is marked. Throws the signal's reason when it aborts. */
  async #change(): Promise<void> {
    this.#signal.throwIfAborted()
    await new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    this.#wake = undefined
    this.#signal.throwIfAborted()
  }

  /** Yields all bytes in the order of writing. @throws The signal's reason after it aborts. */
  async *read(): AsyncGenerator<Uint8Array> {
    for (const chunk of this.#memory) {
      yield chunk
      this.#signal.throwIfAborted()
    }
    yield* this.#readFile(0)
  }

  async *#readFile(from: number): AsyncGenerator<Uint8Array> {
    if (from === this.#spilled) return
    const file = await this.#file
    if (file === undefined) return
    for (let position = from; position < this.#spilled;) {
      this.#signal.throwIfAborted()
      const { bytesRead, buffer } = await file.read(
        Buffer.allocUnsafe(Math.min(READ_BYTES, this.#spilled - position)),
        { position },
      )
      if (bytesRead === 0) throw new Error('A temporary file was truncated')
      position += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  }

  /** Frees memory and disk. The bytes are lost. */
  async close(): Promise<void> {
    this.#signal.removeEventListener('abort', this.#close)
    this.#memory = []
    this.#releaseMemory(this.#taken.memory)
    this.#share.releaseFile(this.#taken.file)
    this.#taken.file = 0
    this.#wake?.()
    const file = this.#file
    this.#file = undefined
    // A write has reported a file that could not be opened.
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

/** Limits of a {@link BufferBudget}, in bytes. */
interface SpoolLimits {
  /** Memory of one tenant. @default 33554432, 32 MiB */
  readonly memoryPerTenant?: number
  /** Memory of all tenants. @default 134217728, 128 MiB */
  readonly memory?: number
  /** Memory and files of one tenant. @default no limit */
  readonly bytesPerTenant?: number
  /** Memory and files of all tenants. @default four times `bytesPerTenant` */
  readonly bytes?: number
}

const MIB = 1024 * 1024

/** What one buffer may use. */
export interface BufferShare {
  /** Takes memory if there is some left. It counts as stored bytes too. @throws UnsentLimitError as {@link BufferShare.takeFile} */
  takeMemory(bytes: number): boolean
  /** Takes space in a file. @throws UnsentLimitError when the tenant, or all tenants, have stored their most */
  takeFile(bytes: number): void
  /** Releases memory. */
  releaseMemory(bytes: number): void
  /** Releases space in a file. */
  releaseFile(bytes: number): void
}

/** Bounds what waits to be sent, for each tenant and in all: in memory, and in files too. */
export class BufferBudget {
  readonly #limits: Required<SpoolLimits>
  readonly #tenants = new Map<string, { memory: number; bytes: number }>()
  readonly #all = { memory: 0, bytes: 0 }

  constructor({
    memoryPerTenant = 32 * MIB,
    memory = 128 * MIB,
    bytesPerTenant = Infinity,
    bytes = 4 * bytesPerTenant,
  }: SpoolLimits = {}) {
    this.#limits = { memoryPerTenant, memory, bytesPerTenant, bytes }
  }

  /** Bytes that wait in memory. */
  get memory(): number {
    return this.#all.memory
  }

  /** Bytes that wait in memory and in files. */
  get bytes(): number {
    return this.#all.bytes
  }

  /** Returns what a buffer of this tenant may use. */
  of(tenant: string): BufferShare {
    return {
      takeMemory: (bytes) => {
        const { memory = 0 } = this.#tenants.get(tenant) ?? {}
        if (memory + bytes > this.#limits.memoryPerTenant || this.#all.memory + bytes > this.#limits.memory)
          return false
        this.#require(tenant, bytes)
        this.#add(tenant, { memory: bytes, bytes })
        return true
      },
      takeFile: (bytes) => {
        this.#require(tenant, bytes)
        this.#add(tenant, { memory: 0, bytes })
      },
      releaseMemory: (bytes) => this.#add(tenant, { memory: -bytes, bytes: -bytes }),
      releaseFile: (bytes) => this.#add(tenant, { memory: 0, bytes: -bytes }),
    }
  }

  #require(tenant: string, bytes: number): void {
    const stored = this.#tenants.get(tenant)?.bytes ?? 0
    if (stored + bytes > this.#limits.bytesPerTenant || this.#all.bytes + bytes > this.#limits.bytes) {
      throw new UnsentLimitError()
    }
  }

  #add(tenant: string, change: { readonly memory: number; readonly bytes: number }): void {
    const own = this.#tenants.get(tenant) ?? { memory: 0, bytes: 0 }
    for (const count of [own, this.#all]) {
      count.memory += change.memory
      count.bytes += change.bytes
    }
    if (own.bytes > 0) this.#tenants.set(tenant, own)
    else this.#tenants.delete(tenant)
  }
}

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
