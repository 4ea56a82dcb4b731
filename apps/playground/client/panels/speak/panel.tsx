import { type ReactElement, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { MediaPlayer } from '../../audio/player.ts'
import { prepareContext } from '../../audio/stream-player.ts'
import { lastSpeech } from '../../components/audio-input.tsx'
import { FailureBox } from '../../components/states.tsx'
import { useFailure } from '../../lib/calls.ts'
import { loadMade, removeAudio } from '../../lib/client.ts'
import { useDraft, useShared } from '../../lib/store.ts'
import { addStop, usePanel, useRun, useSelected } from '../../shell/panel-context.ts'
import { PanelFrame } from '../../shell/panel-frame.tsx'
import { useChosenVoice } from '../../voices/use-voices.ts'
import { History, SpeakEditor, SpeakSettings, TakeView } from './views.tsx'
import { FIRST_DRAFT, formatOf, isReady, isStream, type SpeakDraft, speechSnippets } from './draft.ts'
import { fileNameOf, makeFile, onLength, type Sound, type SpeakPhase, streamSpeech, type Take } from './take.ts'

/** Text to speech. */
export function Panel(): ReactElement {
  const { active } = usePanel()
  const [stored, change] = useDraft('speak', FIRST_DRAFT)
  const voice = useChosenVoice(stored)
  const draft = useMemo(() => ({ ...stored, voice }), [stored, voice])
  const { phase, takes, soundOf, speak, stop, open, remove, failure } = useSpeak()
  const [selected, select] = useSelected('task')
  const unknown = selected !== undefined && !takes.some(({ id }) => id === selected) ? selected : undefined
  useEffect(() => {
    if (unknown !== undefined) void open(unknown)
  }, [unknown, open])
  const shown = takes.find(({ id }) => id === selected) ?? takes[0]
  const reuse = useCallback((take: Take) => change(take.draft), [change])
  const run = useCallback(() => {
    select(undefined)
    speak(draft)
  }, [select, speak, draft])
  useRun(active && isReady(draft), run)
  return (
    <PanelFrame
      title="Speak"
      about="Turn text into speech. A stream plays while it is synthesized."
      settings={<SpeakSettings draft={draft} change={change} />}
      code={() => speechSnippets({ ...draft, stream: isStream(draft), format: formatOf(draft) })}
    >
      <SpeakEditor draft={draft} change={change} busy={phase !== 'idle'} onSpeak={run} onStop={stop} />
      <FailureBox failure={failure} onRetry={unknown === undefined ? run : () => void open(unknown)} />
      <TakeView take={shown} sound={shown && soundOf(shown)} phase={phase} />
      <History takes={takes.filter((take) => take !== shown)} soundOf={soundOf} remove={remove} onReuse={reuse} />
    </PanelFrame>
  )
}

/**
 * Milliseconds before the screen says that it waits. Most audio comes first. To change the screen takes processor time,
 * which a service on the same machine needs.
 */
const WAITING_AFTER_MS = 100

/** Makes one speech at a time. */
function useSpeak() {
  const { client } = usePanel()
  const { failure, fail, clear } = useFailure()
  const [phase, setPhase] = useState<SpeakPhase>('idle')
  const { takes, soundOf, add, update, remove } = useTakes()
  const running = useRef<AbortController>(undefined)

  const stop = useCallback(() => running.current?.abort(), [])
  useEffect(() => stop, [stop])
  useEffect(() => prepareContext(), [])

  /** Call it in a click or a key press: browsers allow no sound before. */
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
  /** Adds the speech of a task that somebody else has made. */
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
  return { phase, takes, soundOf, speak, stop, open, remove, failure }
}

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
