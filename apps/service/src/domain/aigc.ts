/** What a request may say of the marking (interface: `aigc_metadata`). */
export interface AigcMarking {
  readonly enabled?: boolean | undefined
  readonly content_propagator?: string | undefined
  readonly propagate_id?: string | undefined
}

/**
 * The implicit marking for an audio file's metadata: one JSON value with the names of GB 45438-2025. `undefined` unless
 * it is enabled, since nothing is written by default (interface: `aigc_metadata`).
 * @param produceId Id of this very file, so that it can be traced back to its task.
 */
export function aigcValue(metadata: AigcMarking | undefined, produceId: string): string | undefined {
  if (metadata?.enabled !== true) return undefined
  return JSON.stringify({
    AIGC: {
      Label: '1',
      ContentProducer: 'svc-audio',
      ProduceID: produceId,
      ReservedCode1: '',
      ContentPropagator: metadata.content_propagator ?? '',
      PropagateID: metadata.propagate_id ?? '',
      ReservedCode2: '',
    },
  })
}
