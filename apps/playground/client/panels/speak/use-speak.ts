import { useCallback, useEffect, useRef, useState } from 'react'
import { prepareContext } from '../../audio/audio-contexts.ts'
import { lastSpeech } from '../../lib/last-speech.ts'
import { type FailureControl, useFailure } from '../../lib/use-failure.ts'
import { addStop } from '../../shell/keys.ts'
import { usePanel } from '../../shell/panel-context.ts'
import { isStream, type SpeakDraft } from './draft.ts'
import { makeFile, streamSpeech } from './make-speech.ts'
import type { Take } from './take.ts'

/** Takes in the history. Their audio is in memory. */
const MAX_TAKES = 20

/**
 * Milliseconds before the screen says that it waits. Most audio comes first. To change the screen takes processor time,
 * which a service on the same machine needs.
 */
const WAITING_AFTER_MS = 100

/** The speeches of the panel and their actions. */
export interface SpeakControl extends Pick<FailureControl, 'failure' | 'clear'> {
  readonly phase: 'idle' | 'waiting' | 'receiving'
  /** Newest first. The first one may still arrive. */
  readonly takes: readonly Take[]
  /** Call it in a click or a key press: browsers allow no sound before. */
  readonly speak: (draft: SpeakDraft) => void
  /** Ends the stream here and in the service, and pauses. What arrived stays. */
  readonly stop: () => void
}

/** Makes one speech at a time. */
export function useSpeak(): SpeakControl {
  const { client } = usePanel()
  const { failure, fail, clear } = useFailure()
  const [phase, setPhase] = useState<SpeakControl['phase']>('idle')
  const [takes, setTakes] = useState<readonly Take[]>([])
  const running = useRef<AbortController>(undefined)
  const count = useRef(0)

  const stop = useCallback(() => running.current?.abort(), [])
  useEffect(() => stop, [stop])
  useEffect(() => prepareContext(), [])

  const speak = useCallback(
    (draft: SpeakDraft) => {
      running.current?.abort()
      const controller = new AbortController()
      running.current = controller
      const { signal } = controller
      count.current += 1
      const id = count.current
      const isCurrent = (): boolean => running.current === controller
      const release = addStop(() => controller.abort())
      const waiting = setTimeout(() => setPhase('waiting'), WAITING_AFTER_MS)
      const update = (change: Partial<Take>): void => {
        setTakes((before) => before.map((take) => (take.id === id ? { ...take, ...change } : take)))
      }
      const add = (take: Omit<Take, 'id'>): void => {
        clearTimeout(waiting)
        if (isCurrent()) setPhase('receiving')
        setTakes((before) => trim([{ ...take, id }, ...before]))
      }
      const made = isStream(draft) ? streamSpeech : makeFile
      made({ client, draft, signal, add, update })
        .then((file) => lastSpeech.set({ text: draft.text, ...file }))
        .catch((error: unknown) => {
          if (!signal.aborted) fail(error)
        })
        .finally(() => {
          release()
          clearTimeout(waiting)
          if (isCurrent()) setPhase('idle')
        })
      clear()
    },
    [client, clear, fail],
  )
  return { phase, takes, speak, stop, failure, clear }
}

function trim(takes: readonly Take[]): readonly Take[] {
  for (const take of takes.slice(MAX_TAKES)) take.player.close()
  return takes.slice(0, MAX_TAKES)
}
