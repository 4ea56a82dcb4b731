import { UnsentLimitError } from '@svc-audio/engine-ports'

/** Limits of a {@link BufferBudget}, in bytes. */
export interface SpoolLimits {
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
