import { type ReactElement, useEffect, useState } from 'react'
import { About } from './about.tsx'
import { ThemeSwitch } from './components/theme-switch.tsx'
import { IntegrationsPanel } from './integrations/integrations-panel.tsx'
import type { SpeechDraft } from './speak/speak-form.tsx'
import { SpeakPanel } from './speak/speak-panel.tsx'
import { useSpeech } from './speak/use-speech.ts'
import { TranscribePanel } from './transcribe/transcribe-panel.tsx'
import { useVoices } from './use-voices.ts'

const TEXT =
  'The old clock on the wall had stopped many years ago. Nobody in the house could remember when. ' +
  'Then one day the clock began to move, and everyone stopped to listen.'

/** The whole page. */
export function App(): ReactElement {
  const { voices, error } = useVoices()
  const [chosen, setDraft] = useState<SpeechDraft>({ text: TEXT, voice: '', speed: 1 })
  // Until the user chooses a voice, use the service's default.
  const draft = { ...chosen, voice: chosen.voice === '' ? (voices[0]?.id ?? '') : chosen.voice }
  const speech = useSpeech()
  useEffect(ignoreDropsBesideTheZone, [])
  return (
    <>
      <header className="page-header">
        <p className="brand">
          <img src="/icon.svg" alt="" width="28" height="28" />
          svc-audio
        </p>
        <ThemeSwitch />
      </header>
      <main>
        <div className="intro">
          <h1>Playground</h1>
          <p>Turn text into speech and speech into text, with every package of this repository.</p>
          <div role="alert">{error !== undefined && <p className="error">Cannot load the voices: {error}</p>}</div>
        </div>
        <div className="panels">
          <SpeakPanel draft={draft} onChange={setDraft} voices={voices} speech={speech} />
          <TranscribePanel speech={speech.state.speech} />
          <IntegrationsPanel draft={draft} />
          <About />
        </div>
      </main>
    </>
  )
}

/** Ignores drops beside the zone. The browser would open the dropped file instead of the page. */
function ignoreDropsBesideTheZone(): () => void {
  for (const name of ['dragover', 'drop']) addEventListener(name, ignore)
  return () => {
    for (const name of ['dragover', 'drop']) removeEventListener(name, ignore)
  }
}

function ignore(event: Event): void {
  event.preventDefault()
}
