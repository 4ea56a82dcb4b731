import { useEffect, useRef, useState } from 'react'
import { isLocal, localId, removeAudio, storeAudio } from '../../lib/client.ts'
import { formatMs } from '../../lib/format.ts'
import { failureOf, type Job, useJob, type Failure, useLoaded } from '../../lib/calls.ts'
import { usePanel, useSelected } from '../../shell/panel-context.ts'
import {
  type AudioSource,
  newTranscript,
  type TranscribeDraft,
  type Transcript,
  type Turn,
  withTranscript,
} from './transcript.ts'
import { loadTranscript, transcribeSource } from './transcribe-source.ts'
import { useShared } from '../../lib/store.ts'

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

/** The transcripts of this browser. */
export interface TranscriptsControl {
  /** Newest first. */
  readonly transcripts: readonly Transcript[]
  /** The one that the address names: `/transcribe?task=…`. */
  readonly open: Transcript | undefined
  readonly select: (id: string | undefined) => void
  /** Adds a transcript, or replaces the one with its id. */
  readonly store: (transcript: Transcript) => void
  readonly change: (id: string, change: Partial<Transcript>) => void
  readonly remove: (id: string) => void
  /** Why the open transcript cannot be read. */
  readonly failure: Failure | undefined
  /** Reads the open transcript again. */
  readonly reload: () => void
}

const NONE: readonly Transcript[] = []

/** Holds the transcripts. They survive a reload, and every tab has them. */
export function useTranscripts(): TranscriptsControl {
  const { client } = usePanel()
  const [transcripts, set] = useShared('transcripts', NONE)
  const [selected, select] = useSelected('task')
  const open = transcripts.find(({ id }) => id === selected)
  const store = (transcript: Transcript): void =>
    set((before) => withTranscript(before, transcript, (id) => !isLocal(id)))
  const change = (id: string, fields: Partial<Transcript>): void =>
    set((before) => before.map((one) => (one.id === id ? { ...one, ...fields } : one)))
  const remove = (id: string): void => {
    if (id === selected) select(undefined)
    void removeAudio(id)
    set((before) => before.filter((one) => one.id !== id))
  }
  const missing = selected !== undefined && open?.result === undefined ? selected : undefined
  const { failure, reload } = useLoaded(async (signal) => {
    if (missing === undefined) return
    const { result, at } = await loadTranscript(client, missing, signal)
    const first = { id: missing, name: `Task ${missing}`, at, texts: {}, names: {} }
    set((before) => {
      const known = before.find(({ id }) => id === missing) ?? first
      return withTranscript(before, { ...known, result }, () => false)
    })
  }, missing)
  return { transcripts, open, select, store, change, remove, failure, reload }
}

/** The text of a recording that runs. */
export interface HeardText {
  /** The recognized pieces so far. */
  readonly text: string
  /** Why a piece has no text. The recording has it all the same. */
  readonly failure: string | undefined
  /** Recognizes the next piece, a WAV, after those before it. */
  readonly add: (wav: Blob) => void
  /** Forgets the text, and aborts what is not yet recognized. */
  readonly clear: () => void
}

/** Recognizes the pieces of a recording while the user still speaks. */
export function useHeard(): HeardText {
  const { client } = usePanel()
  const [heard, setHeard] = useState<{ readonly text: string; readonly failure?: string }>({ text: '' })
  const controller = useRef(new AbortController())
  const last = useRef<Promise<void>>(Promise.resolve())
  const add = (wav: Blob): void => {
    const { signal } = controller.current
    const recognize = async (): Promise<void> => {
      if (signal.aborted) return
      try {
        const file = { data: wav, name: 'piece.wav' }
        const { text } = await client.transcriptions.create({ model: 'svc-transcribe-1.0', file }, { signal })
        if (!signal.aborted) setHeard((before) => ({ text: `${before.text} ${text}`.trim() }))
      } catch (error) {
        if (!signal.aborted) setHeard(({ text }) => ({ text, failure: failureOf(error).message }))
      }
    }
    // One after another: the text keeps its order, and one recording takes one worker of the service.
    last.current = last.current.then(recognize)
  }
  const clear = (): void => {
    controller.current.abort()
    controller.current = new AbortController()
    setHeard({ text: '' })
  }
  useEffect(() => () => controller.current.abort(), [])
  return { text: heard.text, failure: heard.failure, add, clear }
}
