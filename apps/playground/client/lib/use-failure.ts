import { useCallback, useState } from 'react'
import { useStore } from './store.ts'
import { connection } from '../shell/connection.ts'
import { type Failure, failureOf } from './failure.ts'

/** A failure on the screen. */
export interface FailureControl {
  /** `undefined` when there is none, or when the connection that caused it is back. */
  readonly failure: Failure | undefined
  /** Shows an error. `context` goes before the message, e.g. the name of the file. */
  readonly fail: (error: unknown, context?: string) => void
  readonly clear: () => void
}

/** Holds the failure of a panel. One of a lost connection disappears when the service is back. */
export function useFailure(): FailureControl {
  const { epoch } = useStore(connection)
  const [held, setHeld] = useState<{ readonly failure: Failure; readonly epoch: number }>()
  const fail = useCallback((error: unknown, context?: string) => {
    const failure = failureOf(error)
    const message = context === undefined ? failure.message : `${context}: ${failure.message}`
    setHeld({ failure: { ...failure, message }, epoch: connection.get().epoch })
  }, [])
  const clear = useCallback(() => setHeld(undefined), [])
  const over = held !== undefined && held.failure.lost && held.epoch !== epoch
  return { failure: over ? undefined : held?.failure, fail, clear }
}
