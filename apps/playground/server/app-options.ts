import type { AudioClient } from '@svc-audio/core'
import type { Upstream } from './upstream.ts'

/** Options of the app. */
export interface AppOptions {
  readonly client: AudioClient
  /** The service. Its key never leaves this process. */
  readonly upstream: Upstream
  /** Address of the callbacks that the service can call. `undefined`: it can call none. */
  readonly hookUrl: string | undefined
  /** Folder of the built page. */
  readonly page: string
  /** Folder for the temporary files of the integrations. */
  readonly scratch: string
}
