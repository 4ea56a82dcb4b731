import { useCallback, useEffect, useRef, useState } from 'react'
import { type FailureControl, useFailure } from '../../lib/use-failure.ts'
import { useStop } from '../../shell/keys.ts'
import { usePanel } from '../../shell/panel-context.ts'
import type { Result, Turn } from './result.ts'
import type { AudioSource, TranscribeDraft } from './source.ts'
import { transcribeSource } from './transcribe-source.ts'

/** State of the Transcribe panel. */
export interface TranscriptionState {
  readonly phase: 'idle' | 'running' | 'done' | 'stopped' | 'failed'
  readonly source: AudioSource | undefined
  /** The transcript. While it runs: the turns so far. */
  readonly result: Result | undefined
  /** Text of the turn that is not complete. */
  readonly pending: string
  /** From the click to the transcript, in milliseconds. */
  readonly ms: number | undefined
}

/** The transcription and its actions. */
export interface TranscriptionControl extends Pick<FailureControl, 'failure'> {
  readonly state: TranscriptionState
  /** Transcribes audio. Ends a running transcription. */
  readonly start: (source: AudioSource, draft: TranscribeDraft) => void
  /** Ends the running transcription, in the service too. */
  readonly stop: () => void
  /** Removes the transcript. */
  readonly reset: () => void
  /** Replaces the text of a turn. */
  readonly correct: (turn: string, text: string) => void
  readonly fail: FailureControl['fail']
}

const NOTHING: TranscriptionState = {
  phase: 'idle',
  source: undefined,
  result: undefined,
  pending: '',
  ms: undefined,
}

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
    (source: AudioSource, draft: TranscribeDraft) => {
      running.current?.abort()
      const controller = new AbortController()
      running.current = controller
      const { signal } = controller
      const update = (change: Partial<TranscriptionState>): void => {
        if (running.current === controller) setState((before) => ({ ...before, ...change }))
      }
      const onProgress = (turns: readonly Turn[], pending: string): void =>
        update({ result: { text: '', turns, duration: undefined }, pending })
      clear()
      setState({ ...NOTHING, phase: 'running', source })
      const began = performance.now()
      transcribeSource({ client, source, draft, signal, onProgress }).then(
        (result) => update({ phase: 'done', result, pending: '', ms: performance.now() - began }),
        (error: unknown) => {
          if (running.current !== controller) return
          if (!signal.aborted) fail(error, source.name)
          update({ phase: signal.aborted ? 'stopped' : 'failed' })
        },
      )
    },
    [client, fail, clear],
  )

  const correct = useCallback((id: string, text: string) => {
    setState((before) => {
      if (before.result === undefined) return before
      const turns = before.result.turns.map((turn) => (turn.id === id ? { ...turn, text } : turn))
      return { ...before, result: { ...before.result, turns } }
    })
  }, [])
  return { state, failure, start, stop, reset, correct, fail }
}
