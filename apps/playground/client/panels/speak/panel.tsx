import { type ReactElement, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { prepareContext } from '../../audio/audio-contexts.ts'
import { MediaPlayer } from '../../audio/media-player.ts'
import { speechSnippets } from '../../code/speech-snippets.ts'
import { lastSpeech } from '../../components/audio-input.tsx'
import { FailureBox } from '../../components/states.tsx'
import { useFailure } from '../../lib/calls.ts'
import { loadMade } from '../../lib/client.ts'
import { useDraft } from '../../lib/store.ts'
import { addStop, usePanel, useRun, useSelected } from '../../shell/panel-context.ts'
import { PanelFrame } from '../../shell/panel-frame.tsx'
import { useChosenVoice } from '../../voices/use-voices.ts'
import {
  fileNameOf,
  FIRST_DRAFT,
  formatOf,
  isReady,
  isStream,
  type Sound,
  type SpeakDraft,
  type SpeakPhase,
  type Take,
} from './take.ts'
import { SpeakEditor, SpeakSettings } from './views.tsx'
import { History, TakeView } from './take-view.tsx'
import { makeFile, onLength, streamSpeech } from './make-speech.ts'
import { useTakes } from './use-takes.ts'

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
