import type { ServiceState } from '../../shared/api.ts'

/** The service behind the page. */
export interface Upstream {
  /** Its address, without `/v1`. It does not change. */
  readonly baseUrl: string
  /** Its key. It never leaves this process. */
  readonly apiKey: string
  /** Whether the playground starts and stops it. */
  readonly embedded: boolean
  /** Whether it can be used now. */
  state(): Promise<ServiceState>
  /** Resolves when it can be used, or after a few seconds. */
  ready(): Promise<void>
  /** Starts a stopped service at once, without the rest of the delay. */
  retry(): void
  /** Process of an embedded service, while it runs. */
  pid(): number | undefined
  /** Stops an embedded service. */
  close(): Promise<void>
}
