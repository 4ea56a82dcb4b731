import { useCallback, useEffect, useRef, useState } from 'react'
import { describeError } from '../api/request.ts'
import { type Level, SILENCE } from '../audio/level.ts'
import { MAX_RECORDING_SECONDS, Recording } from '../audio/recorder.ts'

/** The microphone and its actions. */
export interface RecorderControl {
  readonly recording: boolean
  readonly level: Level
  readonly seconds: number
  readonly error: string | undefined
  readonly start: () => void
  /** Ends the recording and passes it to `onRecorded`. */
  readonly finish: () => void
}

/**
 * Records from the microphone.
 * @param onRecorded Receives the WAV when a recording ends, also at the maximum length.
 */
export function useRecorder(onRecorded: (wav: Blob) => void): RecorderControl {
  const [heard, setHeard] = useState<{ readonly level: Level; readonly seconds: number }>()
  const [error, setError] = useState<string>()
  const current = useRef<Promise<Recording>>(undefined)

  const finish = useCallback(() => {
    const recording = current.current
    current.current = undefined
    setHeard(undefined)
    // A failed start has already set the error.
    void recording?.then((begun) => begun.finish()).then(onRecorded, () => {})
  }, [onRecorded])

  const start = useCallback(() => {
    setError(undefined)
    setHeard({ level: SILENCE, seconds: 0 })
    const recording = Recording.begin((level, seconds) => {
      if (current.current !== recording) return
      setHeard({ level, seconds })
      if (seconds >= MAX_RECORDING_SECONDS) finish()
    })
    current.current = recording
    recording.catch((reason: unknown) => {
      current.current = undefined
      setHeard(undefined)
      setError(explain(reason))
    })
  }, [finish])

  useEffect(
    () => () => {
      void current.current?.then(
        (begun) => begun.finish(),
        () => {},
      )
    },
    [],
  )
  return {
    recording: heard !== undefined,
    level: heard?.level ?? SILENCE,
    seconds: heard?.seconds ?? 0,
    error,
    start,
    finish,
  }
}

function explain(reason: unknown): string {
  const name = reason instanceof DOMException ? reason.name : ''
  if (name === 'NotAllowedError') return 'The browser blocks the microphone. Allow it in the address bar.'
  if (name === 'NotFoundError') return 'No microphone found.'
  return `Cannot use the microphone: ${describeError(reason)}`
}
