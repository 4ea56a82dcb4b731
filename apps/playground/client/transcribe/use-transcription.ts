import { useCallback, useEffect, useRef, useState } from 'react'
import { describeError } from '../api/request.ts'
import { transcribe } from '../api/transcribe.ts'
import { type AudioSource, NOTHING, type TranscriptionState } from './transcription-state.ts'

/** The transcription and its actions. */
export interface TranscriptionControl {
  readonly state: TranscriptionState
  /** Transcribes a file. Aborts a running transcription. */
  readonly start: (source: AudioSource) => void
  /** Aborts the running transcription, on the server too. */
  readonly cancel: () => void
}

/** Runs one transcription at a time. Closing the page aborts it. */
export function useTranscription(): TranscriptionControl {
  const [state, setState] = useState(NOTHING)
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])

  const start = useCallback((source: AudioSource) => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    const update = (change: Partial<TranscriptionState>): void => {
      // Ignore a replaced transcription.
      if (running.current === controller) setState((before) => ({ ...before, ...change }))
    }
    setState({ ...NOTHING, phase: 'sending', source })
    const began = performance.now()
    const onProgress = (sent: number): void => update({ sent, phase: sent === 1 ? 'reading' : 'sending' })
    transcribe(source.file, source.name, { signal: controller.signal, onProgress }).then(
      (transcript) => update({ phase: 'done', transcript, ms: performance.now() - began }),
      (error: unknown) =>
        update(controller.signal.aborted ? { phase: 'cancelled' } : { phase: 'failed', error: describeError(error) }),
    )
  }, [])
  const cancel = useCallback(() => running.current?.abort(), [])
  return { state, start, cancel }
}
