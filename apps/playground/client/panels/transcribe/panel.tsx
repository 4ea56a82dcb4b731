import { type ReactElement, useEffect, useRef } from 'react'
import { transcriptionSnippets } from '../../code/transcription-snippets.ts'
import { useRecorder } from '../../audio/use-recorder.ts'
import { RecorderCard } from '../../components/recorder-card.tsx'
import { FailureBox } from '../../components/states.tsx'
import { StatusLine } from '../../components/status-line.tsx'
import { formatMs } from '../../lib/format.ts'
import { useStore } from '../../lib/store.ts'
import { useStored } from '../../lib/stored.ts'
import { usePanel } from '../../shell/panel-context.ts'
import { PanelFrame } from '../../shell/panel-frame.tsx'
import { route } from '../../shell/router.ts'
import { Progress } from './progress.tsx'
import { type AudioSource, FIRST_DRAFT, keytermsOf, SPEAKERS_MODEL, type TranscribeDraft } from './source.ts'
import { Sources } from './sources.tsx'
import { TranscribeSettings } from './transcribe-settings.tsx'
import { TranscriptView } from './transcript-view.tsx'
import { type TranscriptionState, useTranscription } from './use-transcription.ts'
import './transcribe.css'

/** Speech to text. */
export function Panel(): ReactElement {
  const [draft, setDraft] = useStored<TranscribeDraft>('transcribe', FIRST_DRAFT)
  const control = useTranscription()
  const { state, failure, stop, reset, correct, fail } = control
  const start = (source: AudioSource): void => control.start(source, draft)
  const recorder = useRecorder()
  useFileOfAddress(state.source, start)
  const record = (): void => {
    // The old transcript does not belong to the new recording.
    reset()
    recorder.start()
  }
  const { source, phase, result } = state
  return (
    <PanelFrame
      title="Transcribe"
      about="Turn speech into text, with speakers and times."
      settings={<TranscribeSettings draft={draft} onChange={setDraft} />}
      code={() => transcriptionSnippets(codeOf(draft, source))}
    >
      {recorder.phase === 'idle' ? (
        <Sources
          draft={draft}
          onChange={setDraft}
          onSource={start}
          onRecord={record}
          compact={phase === 'running' || phase === 'done'}
          onFail={fail}
        />
      ) : (
        <RecorderCard
          recorder={recorder}
          action="Transcribe"
          icon="transcribe"
          onUse={(file) => {
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
      <FailureBox failure={failure} {...(source === undefined ? {} : { onRetry: () => start(source) })} />
      {phase === 'running' && <Progress state={state} onStop={stop} />}
      <StatusLine text={statusOf(state)} />
      {phase === 'done' && result !== undefined && source !== undefined && (
        <TranscriptView key={String(state.ms)} state={state} source={source} result={result} onCorrect={correct} />
      )}
    </PanelFrame>
  )
}

function codeOf(draft: TranscribeDraft, source: AudioSource | undefined): Parameters<typeof transcriptionSnippets>[0] {
  const speakers = draft.model === SPEAKERS_MODEL
  return {
    model: draft.model,
    live: speakers && draft.live,
    keyterms: speakers ? keytermsOf(draft) : [],
    source:
      source === undefined || 'file' in source
        ? { file: source?.name ?? 'speech.wav' }
        : 'url' in source
          ? { url: source.url }
          : { file_id: source.file_id },
  }
}

/** Transcribes the stored file that the address names: `/transcribe?file_id=…`. Not again while it is on the screen. */
function useFileOfAddress(shown: AudioSource | undefined, start: (source: AudioSource) => void): void {
  const { active } = usePanel()
  const { query } = useStore(route)
  const done = useRef<URLSearchParams>(undefined)
  useEffect(() => {
    const id = active ? query.get('file_id') : null
    if (id === null || done.current === query) return
    done.current = query
    if (shown !== undefined && 'file_id' in shown && shown.file_id === id) return
    start({ file_id: id, name: query.get('name') ?? id })
  }, [active, query, shown, start])
}

function statusOf({ phase, source, ms }: TranscriptionState): string {
  if (phase === 'done') return `Transcribed ${source?.name ?? ''} in ${formatMs(ms ?? 0)}.`
  return phase === 'stopped' ? 'Stopped.' : ''
}
