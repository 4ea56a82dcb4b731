import { useCallback, useEffect, useState } from 'react'
import { connection } from '../shell/connection.ts'
import { type Failure, failureOf } from './failure.ts'
import { useStore } from './store.ts'

/** Something that loads: show a `<Loading>`, a `<FailureBox>` with `reload`, or the data. */
export interface Loaded<T> {
  readonly phase: 'loading' | 'ready' | 'failed'
  /** The last data. Stays during a reload. */
  readonly data: T | undefined
  readonly failure: Failure | undefined
  readonly reload: () => void
}

/**
 * Loads something when the component appears, when `load` changes, on `reload()`, and when the service is back after it
 * failed.
 * @param load Wrap it in `useCallback`.
 */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const { epoch } = useStore(connection)
  const [state, setState] = useState<Omit<Loaded<T>, 'reload'>>({
    phase: 'loading',
    data: undefined,
    failure: undefined,
  })
  const [round, setRound] = useState(0)
  const reload = useCallback(() => setRound((before) => before + 1), [])
  // A service that came back may have another state: load again in any case.
  useEffect(() => {
    const controller = new AbortController()
    setState(({ data }) => ({ phase: 'loading', data, failure: undefined }))
    const show = (next: Partial<typeof state>): void => {
      if (!controller.signal.aborted) setState((before) => ({ ...before, failure: undefined, ...next }))
    }
    load(controller.signal).then(
      (data) => show({ phase: 'ready', data }),
      (error: unknown) => show({ phase: 'failed', failure: failureOf(error) }),
    )
    return () => controller.abort()
  }, [load, round, epoch])
  return { ...state, reload }
}
