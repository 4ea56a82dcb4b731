import { useState } from 'react'
import type { PureAudioClient } from '@svc-audio/core/pure'
import { type Job, useJob } from '../../lib/calls.ts'
import { usePanel } from '../../shell/panel-context.ts'
import { compareTexts, type Comparison } from '../../compare/compare-texts.ts'
import { blobOf } from '../../lib/client.ts'

/** A round trip of the list. */
export interface Trip extends RoundTrip {
  readonly id: number
}

/** The round trips and their actions. */
export interface RoundTripsControl extends Pick<Job, 'failure' | 'stop'> {
  /** What runs now. */
  readonly running: { readonly voice: string; readonly step: Step } | undefined
  /** Newest first. */
  readonly trips: readonly Trip[]
  /** Runs a round trip with each voice, one after another: parallel runs would distort the times. */
  readonly run: (draft: RoundTripDraft, voices: readonly string[]) => void
}

/** Round trips in the list. Their audio is in memory. */
const MAX_TRIPS = 30

/** Runs round trips. */
export function useRoundTrips(): RoundTripsControl {
  const { client } = usePanel()
  const job = useJob()
  const [running, setRunning] = useState<RoundTripsControl['running']>()
  const [trips, setTrips] = useState<readonly Trip[]>([])
  const run = (draft: RoundTripDraft, voices: readonly string[]): void =>
    job.run(async (signal) => {
      for (const voice of voices) {
        const onStep = (step: Step): void => setRunning({ voice, step })
        const trip = await makeRoundTrip(client, { ...draft, voice }, signal, onStep)
        setTrips((before) => [{ ...trip, id: (before[0]?.id ?? 0) + 1 }, ...before].slice(0, MAX_TRIPS))
      }
      return ''
    })
  return { running: job.busy ? running : undefined, trips, run, stop: job.stop, failure: job.failure }
}

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
