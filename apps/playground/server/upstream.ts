import type { ServiceState } from '../shared/api.ts'

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

/** Options of the service's process, as the parent sends them. */
export interface ServiceProcessOptions {
  readonly apiKey: string
  readonly dataDir: string
  /** 0 selects a free port. */
  readonly port: number
  /** Address in links to results. */
  readonly publicUrl: string
  /** Addresses that webhooks may call. */
  readonly webhookAllow: readonly string[]
}

/** Message of the service's process when it answers. */
export interface ServiceReady {
  readonly url: string
}
