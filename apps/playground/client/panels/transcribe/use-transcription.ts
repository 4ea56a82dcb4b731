import { ApiError, TaskFailedError } from '@svc-audio/core/pure'
import { useCallback, useEffect, useRef, useState } from 'react'
import { type Failure, failureOf, type Job, useJob, useLoaded } from '../../lib/calls.ts'
import { isLocal, localId, removeAudio, storeAudio, storedAudio } from '../../lib/client.ts'
import { formatMs } from '../../lib/format.ts'
import { isLeaving, runAlone, useLeaveQuestion } from '../../lib/hooks.ts'
import { readStored, useShared } from '../../lib/store.ts'
import { useLatest, usePanel, useSelected, useStop } from '../../shell/panel-context.ts'
import {
  type AudioSource,
  loadTranscript,
  newTranscript,
  type Result,
  type TranscribeDraft,
  transcribeSource,
  type Transcript,
  type Turn,
  type Unfinished,
  withTranscript,
  type Work,
} from './transcript.ts'

/** A transcription that runs, or the last one. */
export interface TranscriptionState {
  readonly source: AudioSource | undefined
  /** The turns so far. */
  readonly turns: readonly Turn[]
  /** Text of the turn that is not complete. */
  readonly pending: string
}

const NOTHING: TranscriptionState = { source: undefined, turns: [], pending: '' }

/** A transcription in the queue of this page. */
interface Item {
  readonly transcript: Unfinished
  readonly source: AudioSource
  /** Called when it is done, failed or stopped. */
  readonly end: () => void
}

/** What the panel does with its transcriptions. */
export interface TranscriptionControl {
  /** Whether one runs. */
  readonly running: boolean
  /** The id of the one that runs. */
  readonly current: string | undefined
  readonly state: TranscriptionState
  readonly history: Transcripts
  readonly failure: Failure | undefined
  readonly fail: (error: unknown, context?: string) => void
  readonly status: string
  /** Adds a transcription to the queue. It has a row and its audio is stored from its first moment. */
  readonly start: (source: AudioSource, draft: TranscribeDraft) => void
  /** Ends the one that runs, in the service too, and removes its row. */
  readonly stop: () => void
  /** Repeats a failed one. Without an id, the one that failed last. */
  readonly retry: (id?: string) => void
  /** Removes a row, and its work if it waits. */
  readonly remove: (id: string) => void
  /** Clears the screen, unless one runs. The transcripts stay in the history. */
  readonly reset: () => void
}

/** Runs transcriptions one after another. Work that a reload interrupts continues in the next visit. */
export function useTranscription(): TranscriptionControl {
  const { busy: running, failure, fail, clear, status, say, run, stop: abort } = useJob()
  const history = useTranscripts()
  const leave = useUnkept()
  const { state, current, perform, reset: resetState, stopped, failed } = usePerform(history, leave.forget)
  const queue = useQueue(run, perform)
  const latest = useLatest(history)

  const start = (source: AudioSource, draft: TranscribeDraft): void => {
    if (!queue.isBusy()) history.select(undefined)
    const transcript = newTranscript(localId(), source, draft)
    history.store(transcript)
    if ('file' in source) void leave.keep(transcript.id, source.file)
    void runAlone(transcript.id, () => queue.add(transcript, source))
  }

  /** Continues work of a visit before, or repeats it, unless another tab does. */
  const resume = (transcript: Transcript): void => {
    const { id, work } = transcript
    if (work === undefined) return
    const { failure: _failure, ...rest } = work
    void runAlone(id, async () => {
      const source = await sourceOf(transcript)
      const next: Work =
        source === undefined ? { ...rest, state: 'failed', failure: NO_AUDIO } : { ...rest, state: 'waiting' }
      const again = { ...transcript, work: next }
      latest.current.store(again)
      if (source !== undefined) await queue.add(again, source)
    })
  }
  const retry = (id = failed.current): void => {
    const row = history.transcripts.find((one) => one.id === id)
    if (row !== undefined) resume(row)
  }
  const remove = (id: string): void => {
    queue.drop(id)
    leave.forget(id)
    history.remove(id)
  }

  const latestResume = useLatest(resume)
  useEffect(() => {
    // Oldest first, as they were given.
    const left = readStored('transcripts', NONE).filter(({ work }) => work !== undefined && work.state !== 'failed')
    for (const transcript of left.toReversed()) latestResume.current(transcript)
  }, [latestResume])

  const stop = useCallback(() => {
    stopped.current = true
    abort()
  }, [abort, stopped])
  useStop(running, stop)
  const reset = (): void => {
    if (queue.isBusy()) return
    clear()
    say('')
    resetState()
    history.select(undefined)
  }
  const shown = running ? current : undefined
  return { running, current: shown, state, history, failure, fail, status, start, stop, retry, remove, reset }
}

const NO_AUDIO = 'The audio is no longer in the storage of this browser. Choose the file again.'

/** Knows the work whose audio nothing but this page holds, yet or at all: the browser then asks before it is left. */
function useUnkept(): {
  readonly keep: (id: string, file: Blob) => Promise<void>
  readonly forget: (id: string) => void
} {
  const [unkept, setUnkept] = useState<readonly string[]>([])
  useLeaveQuestion(unkept.length > 0)
  const forget = (id: string): void => setUnkept((before) => before.filter((one) => one !== id))
  return {
    async keep(id, file) {
      setUnkept((before) => [...before, id])
      if (await storeAudio(id, file)) forget(id)
    },
    forget,
  }
}

/** One transcription from its first request to its row. */
function usePerform(history: Transcripts, forget: (id: string) => void) {
  const { client } = usePanel()
  const [state, setState] = useState(NOTHING)
  const [current, setCurrent] = useState<string>()
  const latest = useLatest(history)
  const stopped = useRef(false)
  const failed = useRef<string>(undefined)

  async function perform({ transcript: first, source }: Item, signal: AbortSignal): Promise<string> {
    const { failure: _failure, ...before } = first.work
    let transcript: Unfinished = { ...first, work: { ...before, state: 'running' } }
    let task = first.work.task
    stopped.current = false
    latest.current.store(transcript)
    setCurrent(transcript.id)
    setState({ ...NOTHING, source })
    const began = performance.now()
    const onTask = (id: string, stays: boolean): void => {
      task = id
      if (!stays) return
      transcript = { ...transcript, work: { ...transcript.work, task: id } }
      latest.current.store(transcript)
      forget(transcript.id)
    }
    const onProgress = (turns: readonly Turn[], pending: string): void => {
      if (!signal.aborted) setState({ source, turns, pending })
    }
    try {
      const { draft } = transcript.work
      const job = { client, source, draft, signal, task, onTask, onProgress }
      const result = await transcribeSource(job)
      const ms = performance.now() - began
      signal.throwIfAborted()
      await finish(latest.current, { transcript, source, result, ms, task })
      return `Transcribed ${source.name} in ${formatMs(ms)}.`
    } catch (error) {
      if (stopped.current) latest.current.remove(transcript.id)
      else if (!signal.aborted && !isLeaving()) {
        failed.current = transcript.id
        const { task: ended, ...again } = transcript.work
        const work = { ...again, state: 'failed', failure: failureOf(error).message } as const
        // A task that has failed or is gone stays so. Any other one may continue: a retry waits for it.
        const isOver = TaskFailedError.isInstance(error) || (ApiError.isInstance(error) && error.status === 404)
        const keeps = ended === undefined || isOver ? {} : { task: ended }
        latest.current.store({ ...transcript, work: { ...work, ...keeps } })
      }
      throw error
    } finally {
      forget(transcript.id)
    }
  }
  return { state, current, perform, stopped, failed, reset: () => setState(NOTHING) }
}

interface Finished {
  readonly transcript: Unfinished
  readonly source: AudioSource
  readonly result: Result
  readonly ms: number
  readonly task: string | undefined
}

/** Stores a result. Other people who use the same service open it by its task. */
async function finish(history: Transcripts, { transcript, source, result, ms, task }: Finished): Promise<void> {
  const { work: _work, ...rest } = transcript
  const id = task ?? transcript.id
  if (id !== transcript.id) {
    if ('file' in source && source.file.size > 0) await storeAudio(id, source.file)
    history.remove(transcript.id)
  }
  history.store({ ...rest, id, result, ms })
  // The one that is read stays on the screen.
  if (history.selected === undefined) history.select(id)
}

/** Runs items one after another. */
function useQueue(run: Job['run'], perform: (item: Item, signal: AbortSignal) => Promise<string>) {
  const waiting = useRef<Item[]>([])
  const isBusy = useRef(false)
  const next = (): void => {
    if (isBusy.current) return
    const item = waiting.current.shift()
    if (item === undefined) return
    isBusy.current = true
    run(async (signal) => {
      try {
        return await perform(item, signal)
      } finally {
        item.end()
        isBusy.current = false
        // Behind the failure of this one, which the next one clears: its row keeps it.
        setTimeout(() => latestNext.current())
      }
    }, item.source.name)
  }
  const latestNext = useLatest(next)
  useEffect(() => {
    const queue = waiting
    return () => {
      queue.current = []
    }
  }, [])
  return {
    isBusy: () => isBusy.current,
    /** @returns when it is done, failed or stopped */
    async add(transcript: Unfinished, source: AudioSource): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.current.push({ transcript, source, end: resolve })
      latestNext.current()
      await promise
    },
    drop(id: string): void {
      for (const item of waiting.current.filter(({ transcript }) => transcript.id === id)) item.end()
      waiting.current = waiting.current.filter(({ transcript }) => transcript.id !== id)
    },
  }
}

/** The audio of a transcription that a visit before has begun. `undefined` if the browser no longer has it. */
async function sourceOf({ id, name, said, work }: Transcript): Promise<AudioSource | undefined> {
  const known = { name, ...(said === undefined ? {} : { said }) }
  if (work?.remote !== undefined) return { ...known, ...work.remote }
  // A task has the audio.
  const file = (await storedAudio(id)) ?? (work?.task === undefined ? undefined : new Blob())
  return file && { ...known, file }
}

const NONE: readonly Transcript[] = []

/** The transcripts of this browser. */
export interface Transcripts {
  readonly transcripts: readonly Transcript[]
  /** The one on the screen. */
  readonly open: Transcript | undefined
  /** Its id, also while it is loaded. */
  readonly selected: string | undefined
  readonly select: (id: string | undefined) => void
  readonly store: (transcript: Transcript) => void
  readonly change: (id: string, fields: Partial<Transcript>) => void
  readonly remove: (id: string) => void
  readonly failure: Failure | undefined
  readonly reload: () => void
}

/** Holds the transcripts. They survive a reload, and every tab has them. */
function useTranscripts(): Transcripts {
  const { client } = usePanel()
  const [transcripts, set] = useShared('transcripts', NONE)
  const [selected, select] = useSelected('task')
  const open = transcripts.find(({ id, work }) => id === selected && work === undefined)
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
  return { transcripts, open, selected, select, store, change, remove, failure, reload }
}
