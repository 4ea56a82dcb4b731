import { useState } from 'react'
import { storeAudio } from '../../lib/audio-store.ts'
import { formatMs } from '../../lib/format.ts'
import { localId } from '../../lib/task-result.ts'
import { type Job, useJob } from '../../lib/use-job.ts'
import { usePanel } from '../../shell/panel-context.ts'
import type { Turn } from './result.ts'
import type { AudioSource, TranscribeDraft } from './source.ts'
import { transcribeSource } from './transcribe-source.ts'
import { newTranscript } from './transcript.ts'
import { type TranscriptsControl, useTranscripts } from './use-transcripts.ts'

/** A transcription that runs, or the last one. */
export interface TranscriptionState {
  readonly source: AudioSource | undefined
  /** The turns so far. */
  readonly turns: readonly Turn[]
  /** Text of the turn that is not complete. */
  readonly pending: string
}

/** The transcription and its actions. */
export interface TranscriptionControl extends Pick<Job, 'failure' | 'fail' | 'status' | 'stop'> {
  readonly running: boolean
  readonly state: TranscriptionState
  /** All transcripts, and the one on the screen. */
  readonly history: TranscriptsControl
  /** Transcribes audio. Ends a running transcription. */
  readonly start: (source: AudioSource, draft: TranscribeDraft) => void
  /** Clears the screen. The transcript stays in the history. */
  readonly reset: () => void
}

const NOTHING: TranscriptionState = { source: undefined, turns: [], pending: '' }

/** Runs one transcription at a time. */
export function useTranscription(): TranscriptionControl {
  const { client } = usePanel()
  const { busy: running, failure, fail, clear, status, say, run, stop } = useJob()
  const [state, setState] = useState(NOTHING)
  const history = useTranscripts()
  const reset = (): void => {
    stop()
    clear()
    say('')
    setState(NOTHING)
    history.select(undefined)
  }
  const start = (source: AudioSource, draft: TranscribeDraft): void => {
    history.select(undefined)
    setState({ ...NOTHING, source })
    const began = performance.now()
    run(async (signal) => {
      let transcript = newTranscript(localId(), source)
      const onTask = (id: string): void => {
        transcript = { ...transcript, id }
        history.store(transcript)
      }
      const onProgress = (turns: readonly Turn[], pending: string): void => {
        if (!signal.aborted) setState({ source, turns, pending })
      }
      try {
        const result = await transcribeSource({ client, source, draft, signal, onTask, onProgress })
        const ms = performance.now() - began
        if ('file' in source) await storeAudio(transcript.id, source.file)
        signal.throwIfAborted()
        history.store({ ...transcript, result, ms })
        history.select(transcript.id)
        return `Transcribed ${source.name} in ${formatMs(ms)}.`
      } catch (error) {
        history.remove(transcript.id)
        throw error
      }
    }, source.name)
  }
  return { running, state, history, failure, fail, status, stop, start, reset }
}
