import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { MediaPlayer } from '../../audio/media-player.ts'
import { loadMade, removeAudio } from '../../lib/client.ts'
import { usePanel } from '../../shell/panel-context.ts'
import type { Sound, Take } from './take.ts'
import { useShared } from '../../lib/store.ts'

/** Takes in the history. */
const MAX_TAKES = 20

const NONE: readonly Take[] = []

/** The speeches of this browser and their audio. */
export interface TakesControl {
  /** Newest first. The first one may still arrive. */
  readonly takes: readonly Take[]
  /** The audio of a take. That of an earlier visit is loaded when it plays. */
  readonly soundOf: (take: Take) => Sound
  readonly add: (take: Take, sound?: Sound) => void
  /** Changes a take. While it arrives, only on the screen of this tab. */
  readonly update: (id: string, change: Partial<Take>) => void
  readonly remove: (id: string) => void
}

/** Holds the speeches. They survive a reload, and every tab has them. */
export function useTakes(): TakesControl {
  const { client } = usePanel()
  const [stored, change] = useShared('takes', NONE)
  const [arriving, setArriving] = useState<Take>()
  const current = useRef<Take>(undefined)
  const [sounds] = useState(() => new Map<string, Sound>())

  const add = useCallback(
    (take: Take, sound?: Sound) => {
      if (sound !== undefined) sounds.set(take.id, sound)
      current.current = take
      setArriving(take)
      change((before) => limited([take, ...before.filter(({ id }) => id !== take.id)]))
    },
    [change, sounds],
  )
  const update = useCallback(
    (id: string, fields: Partial<Take>) => {
      const take = current.current?.id === id ? { ...current.current, ...fields } : undefined
      if (take !== undefined) {
        current.current = take
        setArriving(take)
      }
      if (take?.end === 'open') return
      change((before) => before.map((one) => (one.id === id ? { ...one, ...take, ...fields } : one)))
    },
    [change],
  )
  const remove = useCallback(
    (id: string) => {
      void removeAudio(id)
      if (current.current?.id === id) current.current = undefined
      change((before) => before.filter((take) => take.id !== id))
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
    ({ id, seconds }: Take) => {
      const load = (): Promise<Blob> => loadMade(client, id)
      const sound = sounds.get(id) ?? { player: new MediaPlayer(load, seconds), file: load }
      sounds.set(id, sound)
      return sound
    },
    [client, sounds],
  )
  return { takes, soundOf, add, update, remove }
}

function limited(takes: readonly Take[]): readonly Take[] {
  for (const { id } of takes.slice(MAX_TAKES)) void removeAudio(id)
  return takes.slice(0, MAX_TAKES)
}
