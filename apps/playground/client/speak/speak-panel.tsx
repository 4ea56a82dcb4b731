import type { ReactElement } from 'react'
import type { VoiceChoice } from '../../shared/api.ts'
import { formatSeconds } from '../components/format.ts'
import { Panel } from '../components/panel.tsx'
import { StatusLine } from '../components/status-line.tsx'
import { SpeakForm, type SpeechDraft } from './speak-form.tsx'
import { SpeechOutput } from './speech-output.tsx'
import type { SpeechPhase, SpeechState } from './speech-state.ts'
import type { SpeechControl } from './use-speech.ts'

/** Options of {@link SpeakPanel}. */
export interface SpeakPanelProps {
  readonly draft: SpeechDraft
  readonly onChange: (draft: SpeechDraft) => void
  readonly voices: readonly VoiceChoice[]
  readonly speech: SpeechControl
}

/** Text to speech. */
export function SpeakPanel({ draft, onChange, voices, speech }: SpeakPanelProps): ReactElement {
  const { state, speak, playAgain, stop } = speech
  const busy = state.phase === 'waiting' || state.phase === 'speaking'
  return (
    <Panel title="Speak" about="Text to speech. Plays during synthesis.">
      <SpeakForm
        draft={draft}
        onChange={onChange}
        voices={voices}
        busy={busy}
        onSpeak={() => speak(draft)}
        onStop={stop}
      >
        <StatusLine text={statusOf(state)} error={state.error} />
      </SpeakForm>
      <SpeechOutput state={state} onPlayAgain={playAgain} />
    </Panel>
  )
}

const STATUS: Readonly<Record<Exclude<SpeechPhase, 'done'>, string>> = {
  idle: 'Nothing spoken yet.',
  waiting: 'Waiting for the first audio …',
  speaking: 'Speaking …',
  stopped: 'Stopped.',
  failed: 'Failed.',
}

function statusOf({ phase, received }: SpeechState): string {
  return phase === 'done' ? `Spoken: ${formatSeconds(received?.seconds ?? 0)} of audio.` : STATUS[phase]
}
