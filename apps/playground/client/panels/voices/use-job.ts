import { useCallback, useEffect, useRef, useState } from 'react'
import { type FailureControl, useFailure } from '../../lib/use-failure.ts'
import { useStop } from '../../shell/keys.ts'

/** One call at a time. */
export interface Job extends Pick<FailureControl, 'failure'> {
  readonly busy: boolean
  /** What happened last, for screen readers. */
  readonly status: string
  /** Runs a call, which ends a running one. @param work Returns the sentence for its success. */
  readonly run: (work: (signal: AbortSignal) => Promise<string>, context?: string) => void
  /** Aborts the call, in the service too. Escape does the same. */
  readonly stop: () => void
}

/** Runs one call at a time, with its failure, and an end by Escape. */
export function useJob(): Job {
  const [busy, setBusy] = useState(false)
  const [status, setStatus] = useState('')
  const { failure, fail, clear } = useFailure()
  const running = useRef<AbortController>(undefined)
  const stop = useCallback(() => running.current?.abort(), [])
  useStop(busy, stop)
  useEffect(() => stop, [stop])
  const run = async (work: (signal: AbortSignal) => Promise<string>, context?: string): Promise<void> => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    const { signal } = controller
    clear()
    setStatus('')
    setBusy(true)
    try {
      const done = await work(signal)
      if (!signal.aborted) setStatus(done)
    } catch (error) {
      if (running.current !== controller) return
      if (signal.aborted) setStatus('Stopped.')
      else fail(error, context)
    } finally {
      if (running.current === controller) setBusy(false)
    }
  }
  return { busy, status, failure, stop, run: (work, context) => void run(work, context) }
}
