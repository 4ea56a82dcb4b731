import { type ReactElement, useCallback, useMemo } from 'react'
import { speechSnippets } from '../../code/speech-snippets.ts'
import { FailureBox } from '../../components/states.tsx'
import { useDraft } from '../../lib/stored.ts'
import { useRun } from '../../shell/keys.ts'
import { usePanel } from '../../shell/panel-context.ts'
import { PanelFrame } from '../../shell/panel-frame.tsx'
import { useChosenVoice } from '../../voices/use-voices.ts'
import { FIRST_DRAFT, formatOf, isReady, isStream } from './draft.ts'
import { SpeakEditor } from './editor.tsx'
import { History } from './history.tsx'
import { SpeakSettings } from './speak-settings.tsx'
import type { Take } from './take.ts'
import { TakeView } from './take-view.tsx'
import { useSpeak } from './use-speak.ts'
import './speak.css'

/** Text to speech. */
export function Panel(): ReactElement {
  const { active } = usePanel()
  const [stored, change] = useDraft('speak', FIRST_DRAFT)
  const voice = useChosenVoice(stored)
  const draft = useMemo(() => ({ ...stored, voice }), [stored, voice])
  const { phase, takes, speak, stop, failure } = useSpeak()
  const reuse = useCallback((take: Take) => change(take.draft), [change])
  const run = useCallback(() => speak(draft), [speak, draft])
  useRun(active && isReady(draft), run)
  return (
    <PanelFrame
      title="Speak"
      about="Turn text into speech. A stream plays while it is synthesized."
      settings={<SpeakSettings draft={draft} change={change} />}
      code={() => speechSnippets({ ...draft, stream: isStream(draft), format: formatOf(draft) })}
    >
      <SpeakEditor draft={draft} change={change} busy={phase !== 'idle'} onSpeak={run} onStop={stop} />
      <FailureBox failure={failure} onRetry={run} />
      <TakeView takes={takes} phase={phase} />
      {takes.length > 1 && <History takes={takes.slice(1)} onReuse={reuse} />}
    </PanelFrame>
  )
}
