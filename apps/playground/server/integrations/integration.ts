import type { AudioClient } from '@svc-audio/core'

/** What an integration runs with. */
export interface IntegrationContext {
  /** What is spoken. */
  readonly text: string
  readonly voice_id: string
  /** A client of the playground's service, for adapters that take one. */
  readonly client: AudioClient
  /** Key and address of that service, for adapters that make a client of their own. */
  readonly apiKey: string
  readonly baseUrl: string
  /** An empty folder of this run; it is removed afterwards. */
  readonly folder: string
  /** Aborts when the browser disconnects. */
  readonly signal: AbortSignal
}

/** What an integration made. */
export interface IntegrationOutcome {
  /** The text, spoken. */
  readonly audio: { readonly bytes: Uint8Array; readonly type: string }
  /** What was heard in it. */
  readonly transcript: string
}

/** The module of an integration: a file of its own, whose shown regions are what the page shows (see `excerpt.ts`). */
export interface IntegrationModule {
  /** Speaks the text and transcribes what was spoken, through the adapter. */
  run(context: IntegrationContext): Promise<IntegrationOutcome>
}

/** An integration as the registry lists it. */
export interface Integration {
  /** Part of its address, and the name of its file without `.ts`. */
  readonly id: string
  readonly title: string
  /** Name of the package that it shows. */
  readonly package: string
  /** What really happens, in one sentence. */
  readonly about: string
  /** Loads its module when it runs first: a framework that is not there fails alone. */
  readonly load: () => Promise<IntegrationModule>
}
