import { useCallback, useEffect, useRef, useState } from 'react'
import { describeError } from '../api/request.ts'
import { type Level, SILENCE } from '../audio/level.ts'
import { MAX_RECORDING_SECONDS, Recording } from '../audio/recorder.ts'

/** The microphone and what can be done with it. */
export interface RecorderControl {
  readonly recording: boolean
  readonly level: Level
  readonly seconds: number
  readonly error: string | undefined
  readonly start: () => void
  /** Ends the recording and hands it on. */
  readonly finish: () => void
}

/**
 * Records from the microphone.
 * @param onRecorded Called with the WAV when a recording ends, also when it has reached its longest.
 */
export function useRecorder(onRecorded: (wav: Blob) => void): RecorderControl {
  const [heard, setHeard] = useState<{ readonly level: Level; readonly seconds: number }>()
  const [error, setError] = useState<string>()
  const current = useRef<Promise<Recording>>(undefined)

  const finish = useCallback(() => {
    const recording = current.current
    current.current = undefined
    setHeard(undefined)
    // One that did not begin has said why already.
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
  if (name === 'NotAllowedError') return 'The microphone is not allowed here: allow it in the address bar.'
  if (name === 'NotFoundError') return 'There is no microphone.'
  return `The microphone cannot be used: ${describeError(reason)}`
}
