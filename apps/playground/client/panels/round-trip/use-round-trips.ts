import { useState } from 'react'
import { type Job, useJob } from '../../lib/use-job.ts'
import { usePanel } from '../../shell/panel-context.ts'
import { makeRoundTrip, type RoundTrip, type RoundTripDraft, type Step } from './round-trip.ts'

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
