import { type ReactElement, useEffect, useRef } from 'react'
import { useRecorder } from '../../audio/use-recorder.ts'
import { transcriptionSnippets } from '../../code/transcription-snippets.ts'
import { RecorderCard } from '../../components/recorder-card.tsx'
import { FailureBox, StatusLine } from '../../components/states.tsx'
import { useStore } from '../../lib/store.ts'
import { useDraft } from '../../lib/stored.ts'
import { usePanel } from '../../shell/panel-context.ts'
import { PanelFrame } from '../../shell/panel-frame.tsx'
import { route } from '../../shell/router.ts'
import { Progress } from './progress.tsx'
import { type AudioSource, FIRST_DRAFT, keytermsOf, SPEAKERS_MODEL, type TranscribeDraft } from './source.ts'
import { Sources } from './sources.tsx'
import { TranscribeSettings } from './transcribe-settings.tsx'
import { TranscriptView } from './transcript-view.tsx'
import { useTranscription } from './use-transcription.ts'
import './transcribe.css'

/** Speech to text. */
export function Panel(): ReactElement {
  const [draft, change] = useDraft('transcribe', FIRST_DRAFT)
  const control = useTranscription()
  const { running, state, failure } = control
  const start = (source: AudioSource): void => control.start(source, draft)
  const recorder = useRecorder()
  useFileOfAddress(state.source, start)
  const record = (): void => {
    // The old transcript does not belong to the new recording.
    control.reset()
    recorder.start()
  }
  const { source, result, ms } = state
  const done = !running && result !== undefined && source !== undefined && ms !== undefined
  return (
    <PanelFrame
      title="Transcribe"
      about="Turn speech into text, with speakers and times."
      settings={<TranscribeSettings draft={draft} change={change} />}
      code={() => transcriptionSnippets(codeOf(draft, source))}
    >
      {recorder.phase === 'idle' ? (
        <Sources
          url={draft.url}
          onUrl={(url) => change({ url })}
          onSource={start}
          onRecord={record}
          compact={running || done}
          onFail={control.fail}
        />
      ) : (
        <RecorderCard
          recorder={recorder}
          action="Transcribe"
          icon="transcribe"
          onUse={(file) => start({ file, name: 'recording.wav' })}
        />
      )}
      {recorder.error !== undefined && (
        <p className="error-text" role="alert">
          {recorder.error}
        </p>
      )}
      <FailureBox failure={failure} onRetry={source && (() => start(source))} />
      {running && <Progress state={state} onStop={control.stop} />}
      <StatusLine text={control.status} />
      {done && <TranscriptView key={ms} ms={ms} source={source} result={result} onCorrect={control.correct} />}
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
