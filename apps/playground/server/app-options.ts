import type { AudioClient } from '@svc-audio/core'

/** Options of the app. */
export interface AppOptions {
  readonly client: AudioClient
  /** Key and address of the service, for adapters that create their own client. They never leave this process. */
  readonly apiKey: string
  readonly baseUrl: string
  /** Folder of the built page. */
  readonly page: string
  /** Folder for the temporary files of the integrations. */
  readonly scratch: string
}
