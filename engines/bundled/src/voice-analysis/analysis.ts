import type { SampleTraits } from '@svc-audio/engine-ports'

/** The result for a sample: its traits, or the reason why it has no voice, in words for the client. */
export type Analysis = { readonly traits: SampleTraits } | { readonly unusable: string }
