import type { AudioClient } from '@svc-audio/core'
import type { IntegrationInfo } from '../../shared/api.ts'

/** Input of an integration. */
export interface IntegrationContext {
  /** The text to speak. */
  readonly text: string
  readonly voice_id: string
  /** A client of the playground's service, for adapters with a `client` option. */
  readonly client: AudioClient
  /** Key and address of that service, for adapters that create their own client. */
  readonly apiKey: string
  readonly baseUrl: string
  /** Whether the service can call this machine. */
  readonly callbacks: boolean
  /** An empty folder for this run, removed afterwards. */
  readonly folder: string
  /** Aborts when the browser disconnects. */
  readonly signal: AbortSignal
}

/** Result of an integration. */
export interface IntegrationOutcome {
  /** The text, spoken. */
  readonly audio: { readonly bytes: Uint8Array; readonly type: string }
  /** The transcript of the audio. */
  readonly transcript: string
  /** What the package did, in order, for the page. */
  readonly steps: readonly string[]
}

/** The module of an integration. The page shows its marked regions: see `excerpt.ts`. */
export interface IntegrationModule {
  /** Speaks the text and transcribes the audio, through the adapter. */
  run(context: IntegrationContext): Promise<IntegrationOutcome>
}

/** An integration as the registry lists it. Its file is its id with `.ts`. */
export interface Integration extends Omit<IntegrationInfo, 'file' | 'code'> {
  /** Loads the module at its first run. A missing framework then fails its own integration only. */
  readonly load: () => Promise<IntegrationModule>
}
