import { type ReactElement, useCallback, useEffect, useMemo } from 'react'
import { speechSnippets } from '../../code/speech-snippets.ts'
import { FailureBox } from '../../components/states.tsx'
import { useDraft } from '../../lib/store.ts'
import { usePanel, useRun, useSelected } from '../../shell/panel-context.ts'
import { PanelFrame } from '../../shell/panel-frame.tsx'
import { useChosenVoice } from '../../voices/use-voices.ts'
import { FIRST_DRAFT, formatOf, isReady, isStream, type Take } from './take.ts'
import { SpeakEditor, SpeakSettings } from './editor.tsx'
import { History, TakeView } from './take-view.tsx'
import { useSpeak } from './use-speak.ts'

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
    if (unknown !== undefined) open(unknown)
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
      <FailureBox failure={failure} onRetry={unknown === undefined ? run : () => open(unknown)} />
      <TakeView take={shown} sound={shown && soundOf(shown)} phase={phase} />
      <History takes={takes.filter((take) => take !== shown)} soundOf={soundOf} remove={remove} onReuse={reuse} />
    </PanelFrame>
  )
}
