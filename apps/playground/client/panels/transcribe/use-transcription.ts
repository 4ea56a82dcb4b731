import { useCallback, useEffect, useRef, useState } from 'react'
import { type FailureControl, useFailure } from '../../lib/use-failure.ts'
import { useStop } from '../../shell/keys.ts'
import { usePanel } from '../../shell/panel-context.ts'
import type { AudioSource } from './source.ts'

/** State of the Transcribe panel. */
export interface TranscriptionState {
  readonly phase: 'idle' | 'running' | 'done' | 'stopped' | 'failed'
  readonly source: AudioSource | undefined
  readonly text: string | undefined
  /** From the click to the transcript, in milliseconds. */
  readonly ms: number | undefined
}

/** The transcription and its actions. */
export interface TranscriptionControl extends Pick<FailureControl, 'failure'> {
  readonly state: TranscriptionState
  /** Transcribes audio. Ends a running transcription. */
  readonly start: (source: AudioSource) => void
  /** Ends the running transcription, in the service too. */
  readonly stop: () => void
  /** Removes the transcript. */
  readonly reset: () => void
}

const NOTHING: TranscriptionState = { phase: 'idle', source: undefined, text: undefined, ms: undefined }

/** Runs one transcription at a time. */
export function useTranscription(): TranscriptionControl {
  const { client } = usePanel()
  const { failure, fail, clear } = useFailure()
  const [state, setState] = useState(NOTHING)
  const running = useRef<AbortController>(undefined)
  const stop = useCallback(() => running.current?.abort(), [])
  useStop(state.phase === 'running', stop)
  useEffect(() => stop, [stop])

  const reset = useCallback(() => {
    stop()
    clear()
    setState(NOTHING)
  }, [stop, clear])

  const start = useCallback(
    (source: AudioSource) => {
      running.current?.abort()
      const controller = new AbortController()
      running.current = controller
      const { signal } = controller
      const update = (change: Partial<TranscriptionState>): void => {
        if (running.current === controller) setState((before) => ({ ...before, ...change }))
      }
      clear()
      setState({ ...NOTHING, phase: 'running', source })
      const began = performance.now()
      const file = { data: source.file, name: source.name }
      client.transcriptions.create({ model: 'svc-transcribe-1.0', file }, { signal }).then(
        ({ text }) => update({ phase: 'done', text, ms: performance.now() - began }),
        (error: unknown) => {
          if (running.current !== controller) return
          if (!signal.aborted) fail(error, source.name)
          update({ phase: signal.aborted ? 'stopped' : 'failed' })
        },
      )
    },
    [client, fail, clear],
  )
  return { state, failure, start, stop, reset }
}
