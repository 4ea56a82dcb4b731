import { quotaExceeded } from './service-error.ts'

/** Counts the bytes of one upload. */
export interface UploadMeter {
  /** Counts received bytes. @throws ServiceError 429 `storage_quota_exceeded` */
  add(path: string, bytes: number): void
  /** The upload is stored or removed. Can be called again. */
  end(path: string): void
}

/** An upload to count. */
export interface CountedUpload {
  /** Path of the uploaded file. */
  readonly path: string
  /** Idempotency key of the request, if any. */
  readonly key?: string | undefined
}

/** Settings of {@link UploadsInFlight.meter}. */
export interface MeterSettings {
  /** Bytes that the tenant has stored, for an upload that will be stored too. @default 0 */
  readonly stored?: number
  /** Idempotency key of the request, if any. */
  readonly key?: string | undefined
}

/**
 * Counts the bytes of uploads that are received or in use and not stored. They count toward the quota of their tenant:
 * many uploads at once cannot fill the disk. Uploads with one idempotency key at the same time count once, because at
 * most one of them is stored.
 */
export class UploadsInFlight {
  readonly #max: number
  /** Counted uploads by path, or by idempotency key. */
  readonly #counted = new Map<string, { readonly tenant: string; readonly path: string; bytes: number }>()
  /** Where an upload is counted. */
  readonly #names = new Map<string, string>()
  readonly #tenants = new Map<string, number>()

  /** @param max Maximum bytes per tenant. @default no limit */
  constructor(max: number = Infinity) {
    this.#max = max
  }

  /** Returns the bytes of a tenant's uploads in flight. */
  bytesOf(tenant: string): number {
    return this.#tenants.get(tenant) ?? 0
  }

  /**
   * Counts received bytes.
   * @param stored As in {@link MeterSettings}.
   * @throws ServiceError 429 `storage_quota_exceeded`
   */
  add(tenant: string, { path, key }: CountedUpload, bytes: number, stored: number = 0): void {
    const name = key === undefined ? path : `${tenant}\n${key}`
    this.#names.set(path, name)
    const upload = this.#counted.get(name) ?? { tenant, path, bytes: 0 }
    if (upload.path !== path) return
    upload.bytes += bytes
    this.#counted.set(name, upload)
    const all = this.bytesOf(tenant) + bytes
    this.#tenants.set(tenant, all)
    if (stored + all > this.#max) throw quotaExceeded()
  }

  /** Returns the counter of one upload. */
  meter(tenant: string, { stored = 0, key }: MeterSettings = {}): UploadMeter {
    return { add: (path, bytes) => this.add(tenant, { path, key }, bytes, stored), end: (path) => this.end(path) }
  }

  /** The upload is removed. Can be called again. */
  end(path: string): void {
    const name = this.#names.get(path) ?? path
    this.#names.delete(path)
    if (this.#counted.get(name)?.path === path) this.#forget(name)
  }

  /** The upload is about to be stored. The others with its key count no more: they repeat it. */
  beforeStore(path: string): void {
    this.#forget(this.#names.get(path) ?? path)
  }

  #forget(name: string): void {
    const upload = this.#counted.get(name)
    if (upload === undefined) return
    this.#counted.delete(name)
    const left = this.bytesOf(upload.tenant) - upload.bytes
    if (left > 0) this.#tenants.set(upload.tenant, left)
    else this.#tenants.delete(upload.tenant)
  }
}
