import { useCallback, useEffect, useRef, useState } from 'react'
import { type FailureControl, useFailure } from '../../lib/use-failure.ts'
import { useStop } from '../../shell/keys.ts'
import { usePanel } from '../../shell/panel-context.ts'
import { makeRoundTrip, type RoundTrip, type RoundTripDraft, type Step } from './round-trip.ts'

/** A round trip of the list. */
export interface Trip extends RoundTrip {
  readonly id: number
}

/** The round trips and their actions. */
export interface RoundTripsControl extends Pick<FailureControl, 'failure'> {
  /** What runs now. */
  readonly running: { readonly voice: string; readonly step: Step } | undefined
  /** Newest first. */
  readonly trips: readonly Trip[]
  /** Runs a round trip with each voice, one after another: parallel runs would distort the times. */
  readonly run: (draft: RoundTripDraft, voices: readonly string[]) => void
  readonly stop: () => void
}

/** Round trips in the list. Their audio is in memory. */
const MAX_TRIPS = 30

/** Runs round trips. */
export function useRoundTrips(): RoundTripsControl {
  const { client } = usePanel()
  const { failure, fail, clear } = useFailure()
  const [running, setRunning] = useState<RoundTripsControl['running']>()
  const [trips, setTrips] = useState<readonly Trip[]>([])
  const controller = useRef<AbortController>(undefined)
  const count = useRef(0)
  const stop = useCallback(() => controller.current?.abort(), [])
  useStop(running !== undefined, stop)
  useEffect(() => stop, [stop])

  const run = useCallback(
    (draft: RoundTripDraft, voices: readonly string[]) => {
      controller.current?.abort()
      const own = new AbortController()
      controller.current = own
      clear()
      const runAll = async (): Promise<void> => {
        for (const voice of voices) {
          const onStep = (step: Step): void => setRunning({ voice, step })
          const trip = await makeRoundTrip(client, { ...draft, voice }, own.signal, onStep)
          count.current += 1
          const id = count.current
          setTrips((before) => [{ ...trip, id }, ...before].slice(0, MAX_TRIPS))
        }
      }
      runAll()
        .catch((error: unknown) => {
          if (!own.signal.aborted) fail(error)
        })
        .finally(() => {
          if (controller.current === own) setRunning(undefined)
        })
    },
    [client, clear, fail],
  )
  return { running, trips, run, stop, failure }
}
