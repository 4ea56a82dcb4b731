/** Kind of request: `models` reads the model list, `speech` posts a short text and gets a URL. */
export type WarmRequest = 'models' | 'speech'

/** Arguments of a contestant. */
export interface WarmArgs {
  /** Address of the module that exports the client, a {@link WarmClient}. */
  readonly client: string
  /** Address of the service without `/v1`. */
  readonly origin: string
  readonly request: WarmRequest
  /** Requests in flight. */
  readonly inFlight: number
}

/** Export of a contestant's module. */
export interface WarmClient {
  /** Prepares the shared parts of all requests. @returns one request each, which resolves with the result's `object` */
  readonly prepare: (origin: string) => Readonly<Partial<Record<WarmRequest, () => Promise<string>>>>
}

/** Body of the `speech` request. */
export const SPEECH = { model: 'svc-tts-1.5-flash', input: 'Good morning, everybody.', voice_id: 'rms' }
