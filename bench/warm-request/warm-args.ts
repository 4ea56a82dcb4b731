/** What is asked: `models` reads the model list, `speech` posts a short text and gets a URL. */
export type WarmRequest = 'models' | 'speech'

/** How a client is to ask. */
export interface WarmArgs {
  /** Address of the module that exports the client, a {@link WarmClient}. */
  readonly client: string
  /** Address of the service without `/v1`. */
  readonly origin: string
  readonly request: WarmRequest
  /** Requests in flight. */
  readonly inFlight: number
}

/** What a contestant's module exports. */
export interface WarmClient {
  /** Prepares everything that requests share. @returns one request each, which resolves with the result's `object` */
  readonly prepare: (origin: string) => Readonly<Partial<Record<WarmRequest, () => Promise<string>>>>
}

/** Body of the `speech` request. */
export const SPEECH = { model: 'svc-tts-1.5-flash', input: 'Good morning, everybody.', voice_id: 'rms' }
