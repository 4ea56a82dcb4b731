import { useCallback, useEffect, useRef, useState } from 'react'
import { prepareContext } from '../../audio/audio-contexts.ts'
import { MediaPlayer } from '../../audio/media-player.ts'
import { lastSpeech } from '../../lib/last-speech.ts'
import { loadMade } from '../../lib/task-result.ts'
import { type FailureControl, useFailure } from '../../lib/use-failure.ts'
import { addStop } from '../../shell/keys.ts'
import { usePanel } from '../../shell/panel-context.ts'
import { FIRST_DRAFT, isStream, type SpeakDraft } from './draft.ts'
import { makeFile, onLength, streamSpeech } from './make-speech.ts'
import { fileNameOf, type Sound, type Take } from './take.ts'
import { type TakesControl, useTakes } from './use-takes.ts'

/**
 * Milliseconds before the screen says that it waits. Most audio comes first. To change the screen takes processor time,
 * which a service on the same machine needs.
 */
const WAITING_AFTER_MS = 100

/** The speeches of the panel and their actions. */
export interface SpeakControl
  extends Pick<FailureControl, 'failure' | 'clear'>, Pick<TakesControl, 'takes' | 'soundOf' | 'remove'> {
  readonly phase: 'idle' | 'waiting' | 'receiving'
  /** Call it in a click or a key press: browsers allow no sound before. */
  readonly speak: (draft: SpeakDraft) => void
  /** Ends the stream here and in the service, and pauses. What arrived stays. */
  readonly stop: () => void
  /** Adds the speech of a task that somebody else has made. */
  readonly open: (id: string) => void
}

/** Makes one speech at a time. */
export function useSpeak(): SpeakControl {
  const { client } = usePanel()
  const { failure, fail, clear } = useFailure()
  const [phase, setPhase] = useState<SpeakControl['phase']>('idle')
  const { takes, soundOf, add, update, remove } = useTakes()
  const running = useRef<AbortController>(undefined)

  const stop = useCallback(() => running.current?.abort(), [])
  useEffect(() => stop, [stop])
  useEffect(() => prepareContext(), [])

  const speak = useCallback(
    (draft: SpeakDraft) => {
      running.current?.abort()
      const controller = new AbortController()
      running.current = controller
      const { signal } = controller
      const isCurrent = (): boolean => running.current === controller
      const release = addStop(() => controller.abort())
      const waiting = setTimeout(() => setPhase('waiting'), WAITING_AFTER_MS)
      let id = ''
      const begin = (take: Take, sound: Sound): void => {
        clearTimeout(waiting)
        if (isCurrent()) setPhase('receiving')
        ;({ id } = take)
        add(take, sound)
      }
      const made = isStream(draft) ? streamSpeech : makeFile
      // The first numbers of a speech may come before it has a take.
      const updateTake = (change: Partial<Take>): void => {
        if (id !== '') update(id, change)
      }
      made({ client, draft, signal, add: begin, update: updateTake })
        .then((file) => lastSpeech.set({ text: draft.text, name: fileNameOf({ draft }), file }))
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
    [client, clear, fail, add, update],
  )
  const open = useCallback(
    async (id: string): Promise<void> => {
      clear()
      try {
        const blob = await loadMade(client, id)
        const player = new MediaPlayer(blob)
        // The task does not have the text.
        const draft = { ...FIRST_DRAFT, text: '' }
        add({ id, draft, at: Date.now(), end: 'complete', bytes: blob.size, seconds: 0 }, { player, file: () => blob })
        onLength(player, (seconds) => update(id, { seconds }))
      } catch (error) {
        fail(error)
      }
    },
    [client, add, update, fail, clear],
  )
  return {
    phase,
    takes,
    soundOf,
    speak,
    stop,
    open: useCallback((id) => void open(id), [open]),
    remove,
    failure,
    clear,
  }
}
