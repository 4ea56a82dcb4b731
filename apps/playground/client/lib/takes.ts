import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { PureAudioClient } from '@svc-audio/core/pure'
import { MediaPlayer, type Player } from '../audio/player.ts'
import { usePanel } from '../shell/panel-context.ts'
import { failureOf } from './calls.ts'
import { isLocal, loadMade, localId, removeAudio, storeAudio } from './client.ts'
import { isLeaving, runAlone } from './hooks.ts'
import { readStored, useShared } from './store.ts'

/** Speech that is made. The browser stores its row from the first moment; its audio is in the task, or in the browser. */
export interface Take<Draft> {
  /** The task that makes it, else an id of this browser. */
  readonly id: string
  /** What the user asked for. */
  readonly draft: Draft
  /** Unix milliseconds. */
  readonly at: number
  /** `cut`: the end is missing. `open`: it is made, by this page, another tab or a task. `failed`: there is no audio. */
  readonly end: 'open' | 'complete' | 'cut' | 'failed'
  /** Why it is not complete, in a sentence. */
  readonly failure?: string
  readonly bytes: number
  /** Length of the audio, in seconds. 0 until known. */
  readonly seconds: number
  /** From the click to the first sample in the speakers, in milliseconds. Streams only. */
  readonly firstAudioMs?: number
  /** From the click to the last byte, in milliseconds. */
  readonly totalMs?: number
}

/** The audio of a take. */
export interface Sound {
  readonly player: Player
  /** The audio as a file. */
  readonly file: () => Blob | Promise<Blob>
}

/** Takes in the history. */
const MAX_TAKES = 20

/** A page that is left ends what it receives. */
const LEFT = 'The page was closed before it was complete.'

/** The takes of this browser and their audio. */
export interface TakesControl<Draft> {
  /** Newest first. The first one may still arrive. */
  readonly takes: readonly Take<Draft>[]
  /** The audio of a take. That of an earlier visit is loaded when it plays. */
  readonly soundOf: (take: Take<Draft>) => Sound
  /** Adds a take. @param before Id of the row whose place it takes: its work has got a task. */
  readonly add: (take: Take<Draft>, sound?: Sound, before?: string) => void
  /** Changes a take. While it arrives, only on the screen of this tab. */
  readonly update: (id: string, change: Partial<Take<Draft>>) => void
  readonly remove: (id: string) => void
}

/**
 * Holds takes. They survive a reload, and every tab has them. An open take of an earlier visit is complete when its
 * task is; without a task, it has failed.
 * @param name Unique in the page.
 * @param none No takes: the same list in each render.
 * @param continues Whether the task of a take continues without the page.
 */
export function useTakes<Draft>(
  name: string,
  none: readonly Take<Draft>[],
  continues: (take: Take<Draft>) => boolean,
): TakesControl<Draft> {
  const { client } = usePanel()
  const [stored, change] = useShared(name, none)
  const [arriving, setArriving] = useState<Take<Draft>>()
  const current = useRef<Take<Draft>>(undefined)
  const [sounds] = useState(() => new Map<string, Sound>())

  const add = useCallback(
    (take: Take<Draft>, sound?: Sound, before?: string) => {
      if (sound !== undefined) sounds.set(take.id, sound)
      current.current = take
      setArriving(take)
      change((all) => limited([take, ...all.filter(({ id }) => id !== take.id && id !== before)]))
    },
    [change, sounds],
  )
  const update = useCallback(
    (id: string, fields: Partial<Take<Draft>>) => {
      const take = current.current?.id === id ? { ...current.current, ...fields } : undefined
      if (take !== undefined) {
        current.current = take
        setArriving(take)
      }
      if (take?.end === 'open') return
      change((all) => all.map((one) => (one.id === id ? { ...one, ...take, ...fields } : one)))
    },
    [change],
  )
  const remove = useCallback(
    (id: string) => {
      void removeAudio(id)
      if (current.current?.id === id) current.current = undefined
      change((all) => all.filter((take) => take.id !== id))
    },
    [change],
  )
  const takes = useMemo(() => stored.map((take) => (take.id === arriving?.id ? arriving : take)), [stored, arriving])
  useEffect(() => {
    for (const [id, { player }] of sounds) {
      // This may be the effect of the takes before the last one was added.
      if (id === current.current?.id || takes.some((take) => take.id === id)) continue
      player.close()
      sounds.delete(id)
    }
  }, [takes, sounds])

  const soundOf = useCallback(
    ({ id, seconds }: Take<Draft>) => {
      const load = (): Promise<Blob> => loadMade(client, id)
      const sound = sounds.get(id) ?? { player: new MediaPlayer(load, seconds), file: load }
      sounds.set(id, sound)
      return sound
    },
    [client, sounds],
  )
  useLeft(name, { none, client, continues, update })
  return { takes, soundOf, add, update, remove }
}

/** A take while this page makes it: its row, and the lock that tells other tabs so. */
export class OpenTake<Draft> {
  readonly #control: Pick<TakesControl<Draft>, 'add' | 'update' | 'remove'>
  readonly #ended = Promise.withResolvers<void>()
  #take: Take<Draft>
  #hasRow = false

  constructor(control: Pick<TakesControl<Draft>, 'add' | 'update' | 'remove'>, draft: Draft) {
    this.#control = control
    this.#take = { id: localId(), draft, at: Date.now(), end: 'open', bytes: 0, seconds: 0 }
  }

  /** What it is now. */
  get take(): Take<Draft> {
    return this.#take
  }

  /** Puts it into the history, or in the place of its row there. @param change E.g. the id of its task. */
  show(change: Partial<Take<Draft>> = {}, sound?: Sound): void {
    const { id: before } = this.#take
    const isKnown = this.#hasRow && (change.id ?? before) === before
    this.#take = { ...this.#take, ...change }
    this.#hasRow = true
    this.#control.add(this.#take, sound, before)
    if (!isKnown) void runAlone(this.#take.id, () => this.#ended.promise)
  }

  /** Changes it, and its row if it has one. */
  update(change: Partial<Take<Draft>>): void {
    this.#take = { ...this.#take, ...change }
    if (this.#hasRow) this.#control.update(this.#take.id, change)
  }

  /** It failed, or its end is missing. @param reason In a sentence. @returns what it is then */
  fail(reason: string): Take<Draft> {
    // The next visit finds it open.
    if (isLeaving()) return this.#take
    const change = { end: this.#take.bytes === 0 ? 'failed' : 'cut', failure: reason } as const
    if (this.#hasRow) this.update(change)
    else this.show(change)
    return this.#take
  }

  /** Removes its row. */
  drop(): void {
    if (this.#hasRow) this.#control.remove(this.#take.id)
  }

  /** Nobody makes it any longer. */
  close(): void {
    this.#ended.resolve()
  }
}

interface LeftTakes<Draft> extends Pick<TakesControl<Draft>, 'update'> {
  readonly none: readonly Take<Draft>[]
  readonly client: PureAudioClient
  readonly continues: (take: Take<Draft>) => boolean
}

/** Ends the open takes of an earlier visit, unless another tab makes them. */
function useLeft<Draft>(name: string, { none, client, continues, update }: LeftTakes<Draft>): void {
  const [latest] = useState({ continues, update })
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    for (const take of readStored(name, none).filter(({ end }) => end === 'open')) {
      void runAlone(take.id, async () => {
        if (!latest.continues(take)) return latest.update(take.id, { end: 'failed', failure: LEFT, bytes: 0 })
        try {
          const { size } = await loadMade(client, take.id, signal)
          latest.update(take.id, { end: 'complete', bytes: size })
        } catch (error) {
          // The next visit waits for it again.
          if (signal.aborted) return
          latest.update(take.id, { end: 'failed', failure: failureOf(error).message })
        }
      })
    }
    return () => controller.abort()
  }, [name, none, client, latest])
}

function limited<Draft>(takes: readonly Take<Draft>[]): readonly Take<Draft>[] {
  for (const { id } of takes.slice(MAX_TAKES)) void removeAudio(id)
  return takes.slice(0, MAX_TAKES)
}

/** Characters from which the speech of a file is long: some two minutes. It is made by a task, which the page may leave. */
export const LONG_CHARACTERS = 2000

/** Makes a file that may take long. */
interface TaskJob {
  readonly client: PureAudioClient
  readonly signal: AbortSignal
  /** Creates the task. */
  readonly create: () => Promise<{ readonly id: string }>
  /** The service has accepted it. */
  readonly onTask: (id: string) => void
}

/**
 * Makes audio by a task. The task of a call that is aborted is cancelled.
 * @returns the audio, which the browser has stored
 * @throws errors of the client
 */
export async function makeInTask({ client, signal, create, onTask }: TaskJob): Promise<Blob> {
  const { id } = await create()
  onTask(id)
  try {
    const blob = await loadMade(client, id, signal)
    await storeAudio(id, blob)
    return blob
  } catch (error) {
    if (signal.aborted) await client.tasks.cancel(id).catch(() => {})
    throw error
  }
}

/** Whether the work of a take is a task: it continues without the page. */
export function isTask({ id }: Pick<Take<unknown>, 'id'>): boolean {
  return !isLocal(id)
}
