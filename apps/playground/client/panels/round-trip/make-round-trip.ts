import type { PureAudioClient } from '@svc-audio/core/pure'
import { compareTexts, type Comparison } from '../../compare/compare-texts.ts'
import { blobOf } from '../../lib/client.ts'

/** What the panel asks for: all of it survives a reload. */
export interface RoundTripDraft {
  readonly text: string
  readonly voice: string
  readonly model: 'svc-transcribe-1.0' | 'svc-transcribe-diarize-pro'
}

/** The first draft. */
export const FIRST_DRAFT: RoundTripDraft = {
  text: 'The train to the coast leaves at seven forty-five in the morning. Please keep your ticket ready.',
  voice: '',
  model: 'svc-transcribe-1.0',
}

/** A round trip that is complete. */
export interface RoundTrip {
  readonly voice: string
  readonly said: string
  readonly heard: string
  /** A WAV. */
  readonly audio: Blob
  /** Milliseconds. */
  readonly speakMs: number
  /** Milliseconds. */
  readonly transcribeMs: number
  readonly comparison: Comparison
}

/** Part of a round trip that runs. The speech is uploaded to be transcribed. */
export type Step = { readonly name: 'speaking' } | { readonly name: 'transcribing'; readonly audio: Blob }

/**
 * Speaks a text, transcribes the audio, and compares.
 * @throws errors of the client
 */
export async function makeRoundTrip(
  client: PureAudioClient,
  { text, voice, model }: RoundTripDraft,
  signal: AbortSignal,
  onStep: (step: Step) => void,
): Promise<RoundTrip> {
  const began = performance.now()
  onStep({ name: 'speaking' })
  const body = { model: 'svc-tts-1.5-flash', input: text, voice_id: voice, response_format: 'wav' } as const
  const audio = await blobOf(await client.speech.create(body, { signal }))
  const spoken = performance.now()
  onStep({ name: 'transcribing', audio })
  const file = { data: audio, name: 'round-trip.wav' }
  const { text: heard } = await client.transcriptions.create({ model, file }, { signal })
  const comparison = compareTexts(text, heard)
  const transcribeMs = performance.now() - spoken
  return { voice, said: text, heard, audio, speakMs: spoken - began, transcribeMs, comparison }
}
