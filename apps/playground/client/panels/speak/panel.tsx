import { type ReactElement, useCallback, useMemo } from 'react'
import { speechSnippets } from '../../code/speech-snippets.ts'
import { FailureBox } from '../../components/states.tsx'
import { useStored } from '../../lib/stored.ts'
import { useRun } from '../../shell/keys.ts'
import { usePanel } from '../../shell/panel-context.ts'
import { PanelFrame } from '../../shell/panel-frame.tsx'
import { defaultOf, useVoices } from '../../voices/use-voices.ts'
import { FIRST_DRAFT, formatOf, isReady, isStream, type SpeakDraft } from './draft.ts'
import { Editor } from './editor.tsx'
import { History } from './history.tsx'
import { SpeakSettings } from './speak-settings.tsx'
import type { Take } from './take.ts'
import { TakeView } from './take-view.tsx'
import { useSpeak } from './use-speak.ts'
import './speak.css'

/** Text to speech. */
export function Panel(): ReactElement {
  const { active } = usePanel()
  const [stored, setDraft] = useStored<SpeakDraft>('speak', FIRST_DRAFT)
  const voices = useVoices()
  // Until the user chooses a voice, the service's default: it lists it first.
  const voice = stored.voice || defaultOf(voices)
  const draft = useMemo(() => ({ ...stored, voice }), [stored, voice])
  const control = useSpeak()
  const { phase, takes, speak, stop, failure } = control
  const [latest, ...older] = takes
  const reuse = useCallback((take: Take) => setDraft(take.draft), [setDraft])
  const ready = isReady(draft)
  const run = useCallback(() => speak(draft), [speak, draft])
  useRun(active && ready, run)
  return (
    <PanelFrame
      title="Speak"
      about="Turn text into speech. A stream plays while it is synthesized."
      settings={<SpeakSettings draft={draft} onChange={setDraft} />}
      code={() => speechSnippets({ ...draft, stream: isStream(draft), format: formatOf(draft) })}
    >
      <Editor draft={draft} onChange={setDraft} phase={phase} ready={ready} onSpeak={run} onStop={stop} />
      <FailureBox failure={failure} onRetry={run} />
      <TakeView take={latest} phase={phase} />
      {older.length > 0 && <History takes={older} onReuse={reuse} />}
    </PanelFrame>
  )
}
