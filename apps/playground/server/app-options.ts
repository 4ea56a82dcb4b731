import type { AudioClient } from '@svc-audio/core'

/** What the app is made of. */
export interface AppOptions {
  readonly client: AudioClient
  /** Key and address of the service: for adapters that make a client of their own. They never leave this process. */
  readonly apiKey: string
  readonly baseUrl: string
  /** Folder of the built page. */
  readonly page: string
  /** Folder for what integrations write while they run. */
  readonly scratch: string
}
