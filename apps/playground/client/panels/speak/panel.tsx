import type { ReactElement } from 'react'
import { speechSnippets } from '../../code/speech-snippets.ts'
import { FailureBox } from '../../components/states.tsx'
import { useStored } from '../../lib/stored.ts'
import { useRun } from '../../shell/keys.ts'
import { usePanel } from '../../shell/panel-context.ts'
import { PanelFrame } from '../../shell/panel-frame.tsx'
import { defaultOf, useVoices } from '../../voices/use-voices.ts'
import { FIRST_DRAFT, formatOf, isStream, type SpeakDraft } from './draft.ts'
import { Editor } from './editor.tsx'
import { History } from './history.tsx'
import { SpeakSettings } from './speak-settings.tsx'
import { TakeView } from './take-view.tsx'
import { useSpeak } from './use-speak.ts'
import './speak.css'

/** Text to speech. */
export function Panel(): ReactElement {
  const { active } = usePanel()
  const [stored, setDraft] = useStored<SpeakDraft>('speak', FIRST_DRAFT)
  const voices = useVoices()
  // Until the user chooses a voice, the service's default: it lists it first.
  const draft = { ...stored, voice: stored.voice || defaultOf(voices) }
  const control = useSpeak()
  const { phase, takes, speak, stop, failure } = control
  const [latest, ...older] = takes
  const ready = draft.text.trim() !== ''
  useRun(active && ready, () => speak(draft))
  return (
    <PanelFrame
      title="Speak"
      about="Turn text into speech. A stream plays while it is synthesized."
      settings={<SpeakSettings draft={draft} onChange={setDraft} />}
      code={() => speechSnippets({ ...draft, stream: isStream(draft), format: formatOf(draft) })}
    >
      <Editor draft={draft} onChange={setDraft} phase={phase} onSpeak={() => speak(draft)} onStop={stop} />
      <FailureBox failure={failure} onRetry={() => speak(draft)} />
      <TakeView take={latest} phase={phase} />
      {older.length > 0 && <History takes={older} onReuse={(take) => setDraft(take.draft)} />}
    </PanelFrame>
  )
}
