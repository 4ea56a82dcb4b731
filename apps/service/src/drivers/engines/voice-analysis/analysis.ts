import type { SampleTraits } from '../../../domain/voice-design/analyse-sample.ts'

/** What came of measuring a sample: its traits, or why it tells nothing of a voice, in words for the caller of the API. */
export type Analysis = { readonly traits: SampleTraits } | { readonly unusable: string }
