import { useCallback, useEffect } from 'react'
import { removeAudio } from '../../lib/audio-store.ts'
import { useShared } from '../../lib/stored.ts'
import { isLocal } from '../../lib/task-result.ts'
import { type FailureControl, useFailure } from '../../lib/use-failure.ts'
import { usePanel } from '../../shell/panel-context.ts'
import { useSelected } from '../../shell/use-selected.ts'
import { loadTranscript } from './transcribe-source.ts'
import { type Transcript, withTranscript } from './transcript.ts'

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
  readonly failure: FailureControl['failure']
  /** Reads the open transcript again. */
  readonly reload: () => void
}

const NONE: readonly Transcript[] = []

/** Holds the transcripts. They survive a reload, and every tab has them. */
export function useTranscripts(): TranscriptsControl {
  const { client } = usePanel()
  const { failure, fail, clear } = useFailure()
  const [transcripts, set] = useShared('transcripts', NONE)
  const [selected, select] = useSelected('task')
  const open = transcripts.find(({ id }) => id === selected)
  const store = useCallback(
    (transcript: Transcript) => set((before) => withTranscript(before, transcript, (id) => !isLocal(id))),
    [set],
  )
  const change = useCallback(
    (id: string, fields: Partial<Transcript>) =>
      set((before) => before.map((one) => (one.id === id ? { ...one, ...fields } : one))),
    [set],
  )
  const remove = useCallback(
    (id: string) => {
      if (id === selected) select(undefined)
      void removeAudio(id)
      set((before) => before.filter((one) => one.id !== id))
    },
    [set, select, selected],
  )
  const missing = selected !== undefined && open?.result === undefined ? selected : undefined
  const load = useCallback(
    async (signal?: AbortSignal): Promise<void> => {
      if (missing === undefined) return
      clear()
      try {
        const { result, at } = await loadTranscript(client, missing, signal)
        const first = { id: missing, name: `Task ${missing}`, at, texts: {}, names: {} }
        set((before) => {
          const known = before.find(({ id }) => id === missing) ?? first
          return withTranscript(before, { ...known, result }, () => false)
        })
      } catch (error) {
        if (signal?.aborted !== true) fail(error)
      }
    },
    [client, missing, set, fail, clear],
  )
  useEffect(() => {
    const controller = new AbortController()
    void load(controller.signal)
    return () => controller.abort()
  }, [load])
  return { transcripts, open, select, store, change, remove, failure, reload: () => void load() }
}
