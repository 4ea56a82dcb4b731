import { useCallback, useState } from 'react'
import { formatMs } from '../../lib/format.ts'
import { type Job, useJob } from '../../lib/use-job.ts'
import { usePanel } from '../../shell/panel-context.ts'
import type { Result, Turn } from './result.ts'
import type { AudioSource, TranscribeDraft } from './source.ts'
import { transcribeSource } from './transcribe-source.ts'

/** What the Transcribe panel shows. */
export interface TranscriptionState {
  readonly source: AudioSource | undefined
  /** The transcript. While it runs: the turns so far. */
  readonly result: Result | undefined
  /** Text of the turn that is not complete. */
  readonly pending: string
  /** From the click to the transcript, in milliseconds. `undefined` without a complete transcript. */
  readonly ms: number | undefined
}

/** The transcription and its actions. */
export interface TranscriptionControl extends Pick<Job, 'failure' | 'fail' | 'status' | 'stop'> {
  readonly running: boolean
  readonly state: TranscriptionState
  /** Transcribes audio. Ends a running transcription. */
  readonly start: (source: AudioSource, draft: TranscribeDraft) => void
  /** Removes the transcript. */
  readonly reset: () => void
  /** Replaces the text of a turn. */
  readonly correct: (turn: string, text: string) => void
}

const NOTHING: TranscriptionState = { source: undefined, result: undefined, pending: '', ms: undefined }

/** Runs one transcription at a time. */
export function useTranscription(): TranscriptionControl {
  const { client } = usePanel()
  const { busy: running, failure, fail, clear, status, say, run, stop } = useJob()
  const [state, setState] = useState(NOTHING)
  const reset = (): void => {
    stop()
    clear()
    say('')
    setState(NOTHING)
  }
  const start = (source: AudioSource, draft: TranscribeDraft): void => {
    setState({ ...NOTHING, source })
    const began = performance.now()
    run(async (signal) => {
      const update = (change: Partial<TranscriptionState>): void => {
        if (!signal.aborted) setState((before) => ({ ...before, ...change }))
      }
      const onProgress = (turns: readonly Turn[], pending: string): void =>
        update({ result: { text: '', turns, duration: undefined }, pending })
      const result = await transcribeSource({ client, source, draft, signal, onProgress })
      const ms = performance.now() - began
      update({ result, pending: '', ms })
      return `Transcribed ${source.name} in ${formatMs(ms)}.`
    }, source.name)
  }
  const correct = useCallback((id: string, text: string) => {
    setState((before) => {
      if (before.result === undefined) return before
      const turns = before.result.turns.map((turn) => (turn.id === id ? { ...turn, text } : turn))
      return { ...before, result: { ...before.result, turns } }
    })
  }, [])
  return { running, state, failure, fail, status, stop, start, reset, correct }
}
