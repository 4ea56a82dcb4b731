import { type ReactElement, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { MediaPlayer } from '../../audio/player.ts'
import { prepareContext } from '../../audio/stream-player.ts'
import { lastSpeech } from '../../components/audio-input.tsx'
import { FailureBox } from '../../components/states.tsx'
import { type FailureControl, failureOf, useFailure } from '../../lib/calls.ts'
import { loadMade } from '../../lib/client.ts'
import { useLeaveQuestion } from '../../lib/hooks.ts'
import { useDraft } from '../../lib/store.ts'
import { OpenTake, type Sound, type TakesControl, useTakes } from '../../lib/takes.ts'
import { addStop, usePanel, useRun, useSelected } from '../../shell/panel-context.ts'
import { PanelFrame } from '../../shell/panel-frame.tsx'
import { useChosenVoice } from '../../voices/use-voices.ts'
import { History, SpeakEditor, SpeakSettings, TakeView } from './views.tsx'
import { FIRST_DRAFT, formatOf, isReady, isStream, type SpeakDraft, speechSnippets } from './draft.ts'
import { continues, fileNameOf, makeFile, onLength, type SpeakPhase, streamSpeech, type Take } from './take.ts'

/** Text to speech. */
export function Panel(): ReactElement {
  const { active } = usePanel()
  const [stored, change] = useDraft('speak', FIRST_DRAFT)
  const voice = useChosenVoice(stored)
  const draft = useMemo(() => ({ ...stored, voice }), [stored, voice])
  const { phase, takes, soundOf, speak, stop, retry, open, remove, failure } = useSpeak()
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
      <FailureBox failure={failure} onRetry={unknown === undefined ? () => retry() : () => void open(unknown)} />
      <TakeView take={shown} sound={shown && soundOf(shown)} phase={phase} onRetry={retry} />
      <History
        takes={takes.filter((take) => take !== shown)}
        soundOf={soundOf}
        remove={remove}
        onReuse={reuse}
        onRetry={retry}
      />
    </PanelFrame>
  )
}

const NONE: readonly Take[] = []

/** The user has stopped a speech. */
const STOPPED = Symbol('stopped')

/** Why a speech is not complete, in a sentence. */
function reasonOf(signal: AbortSignal, error: unknown): string {
  if (!signal.aborted) return failureOf(error).message
  return signal.reason === STOPPED ? 'Stopped.' : 'Another speech was begun before it was complete.'
}

/**
 * Milliseconds before the screen says that it waits. Most audio comes first. To change the screen takes processor time,
 * which a service on the same machine needs.
 */
const WAITING_AFTER_MS = 100

/** Makes one speech at a time. It has a row before anything of it is heard. */
function useSpeak() {
  const { client } = usePanel()
  const { failure, fail, clear } = useFailure()
  const [phase, setPhase] = useState<SpeakPhase>('idle')
  const { takes, soundOf, add, update, remove } = useTakes('takes', NONE, continues)
  const running = useRef<AbortController>(undefined)
  const failed = useRef<Take>(undefined)
  /** Whether the speech that is made ends with the page. */
  const [isHeld, setHeld] = useState(false)
  useLeaveQuestion(isHeld)

  const stop = useCallback(() => running.current?.abort(STOPPED), [])
  // A page that is left says so at the next visit.
  useEffect(() => () => running.current?.abort(), [])
  useEffect(() => prepareContext(), [])

  /** Call it in a click or a key press: browsers allow no sound before. */
  const speak = useCallback(
    (draft: SpeakDraft) => {
      running.current?.abort()
      const controller = new AbortController()
      running.current = controller
      const { signal } = controller
      const isCurrent = (): boolean => running.current === controller
      const release = addStop(() => controller.abort(STOPPED))
      const made = new OpenTake({ add, update, remove }, draft)
      const waiting = setTimeout(() => {
        setPhase('waiting')
        setHeld(true)
        made.show()
      }, WAITING_AFTER_MS)
      const begin = (take: Take, sound: Sound): void => {
        clearTimeout(waiting)
        if (isCurrent()) setPhase('receiving')
        made.show(take, sound)
      }
      const accept = (take: Take): void => {
        clearTimeout(waiting)
        made.show(take)
        if (isCurrent()) setHeld(false)
      }
      const make = isStream(draft) ? streamSpeech : makeFile
      make({ id: made.take.id, client, draft, signal, accept, add: begin, update: (change) => made.update(change) })
        .then((file) => lastSpeech.set({ text: draft.text, name: fileNameOf({ draft }), file }))
        .catch((error: unknown) => {
          clearTimeout(waiting)
          if (signal.reason === STOPPED && made.take.bytes === 0) return made.drop()
          failed.current = made.fail(reasonOf(signal, error))
          if (!signal.aborted) fail(error)
        })
        .finally(() => {
          release()
          clearTimeout(waiting)
          made.close()
          if (!isCurrent()) return
          setPhase('idle')
          setHeld(false)
        })
      clear()
    },
    [client, clear, fail, add, update, remove],
  )
  /** Repeats a speech that has failed. Without one, the one that failed last. */
  const retry = useCallback(
    (take = failed.current) => {
      if (take === undefined) return
      if (take.bytes === 0) remove(take.id)
      speak(take.draft)
    },
    [remove, speak],
  )
  const open = useOpen({ add, update, fail, clear })
  return { phase, takes, soundOf, speak, stop, retry, open, remove, failure }
}

/** Adds the speech of a task that somebody else has made. */
function useOpen({
  add,
  update,
  fail,
  clear,
}: Pick<TakesControl<SpeakDraft>, 'add' | 'update'> & Omit<FailureControl, 'failure'>) {
  const { client } = usePanel()
  return useCallback(
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
}
