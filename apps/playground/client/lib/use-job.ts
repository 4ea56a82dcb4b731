import { useCallback, useEffect, useRef, useState } from 'react'
import { useStop } from '../shell/keys.ts'
import { type FailureControl, useFailure } from './use-failure.ts'

/** One call at a time. */
export interface Job extends FailureControl {
  readonly busy: boolean
  /** What happened last, for screen readers. */
  readonly status: string
  /** Replaces the status. */
  readonly say: (status: string) => void
  /**
   * Runs a call, which aborts a running one.
   * @param work Returns the sentence for its success.
   * @param context Goes before the message of its failure, e.g. the name of the file.
   */
  readonly run: (work: (signal: AbortSignal) => Promise<string>, context?: string) => void
  /** Aborts the call, in the service too. Escape does the same. */
  readonly stop: () => void
}

/** Runs one call at a time, with its failure, and aborts it on Escape and with the component. */
export function useJob(): Job {
  const [busy, setBusy] = useState(false)
  const [status, say] = useState('')
  const { failure, fail, clear } = useFailure()
  const running = useRef<AbortController>(undefined)
  const stop = useCallback(() => running.current?.abort(), [])
  useStop(busy, stop)
  useEffect(() => stop, [stop])
  const run = useCallback(
    async (work: (signal: AbortSignal) => Promise<string>, context?: string): Promise<void> => {
      running.current?.abort()
      const controller = new AbortController()
      running.current = controller
      const { signal } = controller
      clear()
      say('')
      setBusy(true)
      try {
        const done = await work(signal)
        if (!signal.aborted) say(done)
      } catch (error) {
        if (running.current !== controller) return
        if (signal.aborted) say('Stopped.')
        else fail(error, context)
      } finally {
        if (running.current === controller) setBusy(false)
      }
    },
    [clear, fail],
  )
  return { busy, status, say, failure, fail, clear, stop, run: (work, context) => void run(work, context) }
}
