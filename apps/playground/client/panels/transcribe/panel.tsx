import { wordErrorRate } from '@svc-audio/testing'
import type { ReactElement } from 'react'
import { Compared } from '../../compare/compared.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Facts } from '../../components/facts.tsx'
import { Icon } from '../../components/icon.tsx'
import { FailureBox, Loading } from '../../components/states.tsx'
import { StatusLine } from '../../components/status-line.tsx'
import { formatMs, formatPercent } from '../../lib/format.ts'
import { lastSpeech } from '../../lib/last-speech.ts'
import { useStore } from '../../lib/store.ts'
import { PanelFrame } from '../../shell/panel-frame.tsx'
import { DropZone } from './drop-zone.tsx'
import { RecorderCard } from './recorder-card.tsx'
import { useRecorder } from './use-recorder.ts'
import { type TranscriptionState, useTranscription } from './use-transcription.ts'
import './transcribe.css'

/** Speech to text. */
export function Panel(): ReactElement {
  const { state, failure, start, stop, reset } = useTranscription()
  const recorder = useRecorder()
  const speech = useStore(lastSpeech)
  const record = (): void => {
    // The old transcript does not belong to the new recording.
    reset()
    recorder.start()
  }
  const useSpeech = async (): Promise<void> => {
    if (speech !== undefined) start({ file: await speech.file(), name: speech.name, said: speech.text })
  }
  const idle = recorder.phase === 'idle'
  return (
    <PanelFrame title="Transcribe" about="Turn speech into text, from a file, the microphone or the last speech.">
      {idle ? (
        <DropZone onFile={(file) => start({ file, name: file.name })}>
          <button type="button" className="button" onClick={record}>
            <Icon name="microphone" />
            Record
          </button>
          <button type="button" className="button" disabled={speech === undefined} onClick={() => void useSpeech()}>
            <Icon name="arrow" />
            Use the last speech
          </button>
        </DropZone>
      ) : (
        <RecorderCard
          recorder={recorder}
          onTranscribe={(file) => {
            recorder.discard()
            start({ file, name: 'recording.wav' })
          }}
        />
      )}
      {recorder.error !== undefined && (
        <p className="error-text" role="alert">
          {recorder.error}
        </p>
      )}
      <FailureBox
        failure={failure}
        {...(state.source === undefined ? {} : { onRetry: () => state.source !== undefined && start(state.source) })}
      />
      {state.phase === 'running' && (
        <div className="card running">
          <Loading label={`Transcribing ${state.source?.name ?? ''} …`} />
          <button type="button" className="button button-small" onClick={stop}>
            <Icon name="stop" />
            Stop
          </button>
        </div>
      )}
      <StatusLine text={statusOf(state)} />
      {state.text !== undefined && <Transcript state={state} text={state.text} />}
    </PanelFrame>
  )
}

function Transcript({ state, text }: { readonly state: TranscriptionState; readonly text: string }): ReactElement {
  const said = state.source?.said
  const rate = said === undefined ? undefined : wordErrorRate(said, text)
  const words = text.split(/\s+/).filter((word) => word !== '').length
  return (
    <section className="card transcript" aria-label="Transcript">
      <header className="field-head">
        <h2>Transcript</h2>
        <CopyButton text={text} what="the transcript" />
      </header>
      <p className="transcript-text">
        {text === '' ? (
          <span className="faint">No speech</span>
        ) : said === undefined ? (
          text
        ) : (
          <Compared said={said} heard={text} />
        )}
      </p>
      <Facts
        facts={[
          { name: 'Time', value: formatMs(state.ms ?? 0) },
          { name: 'Words', value: String(words) },
          {
            name: 'Word error rate',
            value: rate === undefined ? undefined : formatPercent(rate),
            ...(rate === undefined ? {} : { tone: rate <= 0.15 ? 'good' : 'bad' }),
          },
        ]}
      />
    </section>
  )
}

function statusOf({ phase, source, ms }: TranscriptionState): string {
  if (phase === 'done') return `Transcribed ${source?.name ?? ''} in ${formatMs(ms ?? 0)}.`
  return phase === 'stopped' ? 'Stopped.' : ''
}
