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
