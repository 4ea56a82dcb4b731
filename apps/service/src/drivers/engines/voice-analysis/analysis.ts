import type { SampleTraits } from '../../../domain/voice-design/analyse-sample.ts'

/** The result for a sample: its traits, or the reason why it has no voice, in words for the client. */
export type Analysis = { readonly traits: SampleTraits } | { readonly unusable: string }
