import { quotaExceeded } from './quota-exceeded.ts'

/** Counts the bytes of one upload. */
export interface UploadMeter {
  /** Counts received bytes. @throws ServiceError 429 `storage_quota_exceeded` */
  add(path: string, bytes: number): void
  /** The upload is stored or removed. Can be called again. */
  end(path: string): void
}

/**
 * Counts the bytes of uploads that are received or in use and not stored. They count toward the quota of their tenant:
 * many uploads at once cannot fill the disk.
 */
export class UploadsInFlight {
  readonly #most: number
  readonly #uploads = new Map<string, { readonly tenant: string; bytes: number }>()
  readonly #tenants = new Map<string, number>()

  /** @param most Most bytes of one tenant. @default no limit */
  constructor(most: number = Infinity) {
    this.#most = most
  }

  /** Returns the bytes of a tenant's uploads in flight. */
  bytesOf(tenant: string): number {
    return this.#tenants.get(tenant) ?? 0
  }

  /**
   * Counts received bytes.
   * @param path Path of the uploaded file.
   * @param stored Bytes that the tenant has stored, for an upload that will be stored too. @default 0
   * @throws ServiceError 429 `storage_quota_exceeded`
   */
  add(tenant: string, path: string, bytes: number, stored: number = 0): void {
    const upload = this.#uploads.get(path) ?? { tenant, bytes: 0 }
    upload.bytes += bytes
    this.#uploads.set(path, upload)
    const all = this.bytesOf(tenant) + bytes
    this.#tenants.set(tenant, all)
    if (stored + all > this.#most) throw quotaExceeded()
  }

  /**
   * Returns the counter of one upload.
   * @param stored As for {@link UploadsInFlight.add}.
   */
  meter(tenant: string, stored?: number): UploadMeter {
    return { add: (path, bytes) => this.add(tenant, path, bytes, stored), end: (path) => this.end(path) }
  }

  /** The upload is stored or removed. Can be called again. */
  end(path: string): void {
    const upload = this.#uploads.get(path)
    if (upload === undefined) return
    this.#uploads.delete(path)
    const left = this.bytesOf(upload.tenant) - upload.bytes
    if (left > 0) this.#tenants.set(upload.tenant, left)
    else this.#tenants.delete(upload.tenant)
  }
}
