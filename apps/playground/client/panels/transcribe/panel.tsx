import { type ReactElement, useEffect } from 'react'
import { useRecorder } from '../../audio/use-recorder.ts'
import { transcriptionSnippets } from '../../code/transcription-snippets.ts'
import { HistoryList, type HistoryRow } from '../../components/history-list.tsx'
import { RecorderCard } from '../../components/recorder-card.tsx'
import { FailureBox, Loading, StatusLine, UploadProgress, ErrorText } from '../../components/states.tsx'
import { formatTime } from '../../lib/format.ts'
import { useDraft, useStore } from '../../lib/store.ts'
import { usePanel } from '../../shell/panel-context.ts'
import { PanelFrame } from '../../shell/panel-frame.tsx'
import { changeQuery, pathOf, route } from '../../shell/router.tsx'
import {
  type AudioSource,
  FIRST_DRAFT,
  firstWords,
  keytermsOf,
  SPEAKERS_MODEL,
  speakersOf,
  type TranscribeDraft,
  type Transcript,
} from './transcript.ts'
import { Sources } from './sources.tsx'
import { TranscribeSettings } from './transcribe-settings.tsx'
import { TranscriptView } from './transcript-view.tsx'
import { type HeardText, type TranscriptionState, useHeard, useTranscription } from './use-transcription.ts'
import { Button } from '../../components/button.tsx'
import { SpeakerDot } from './turns.tsx'
import './transcribe.css'

/** Speech to text. */
export function Panel(): ReactElement {
  const [draft, change] = useDraft('transcribe', FIRST_DRAFT)
  const control = useTranscription()
  const { running, state, failure, history } = control
  const { transcripts, open } = history
  const start = (source: AudioSource): void => control.start(source, draft)
  const heard = useHeard()
  const recorder = useRecorder(draft.live ? heard.add : undefined)
  useFileOfAddress(state.source, start)
  const record = (): void => {
    // The old transcript does not belong to the new recording.
    control.reset()
    heard.clear()
    recorder.start()
  }
  const { source } = state
  const done = !running && open !== undefined
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
        >
          {draft.live && <Words heard={heard} />}
        </RecorderCard>
      )}
      <ErrorText>{recorder.error}</ErrorText>
      <FailureBox failure={failure} onRetry={source && (() => start(source))} />
      {running && <Progress state={state} onStop={control.stop} />}
      <StatusLine text={control.status} />
      {!running && <FailureBox failure={history.failure} onRetry={history.reload} />}
      {done && open.result !== undefined && (
        <TranscriptView
          key={open.id}
          transcript={open}
          result={open.result}
          onChange={(fields) => history.change(open.id, fields)}
        />
      )}
      <HistoryList
        rows={transcripts.filter((one) => one !== open && (!running || one.result !== undefined)).map(rowOf)}
        onRemove={history.remove}
      />
    </PanelFrame>
  )
}

/** What was said so far, while the recording runs. */
function Words({ heard: { text, failure } }: { readonly heard: HeardText }): ReactElement {
  return (
    <>
      <p className="live-text large" role="status">
        {text || <span className="faint">Speak: your words appear after each pause.</span>}
      </p>
      {failure !== undefined && <p className="hint">{failure}</p>}
    </>
  )
}

function rowOf({ id, name, at, result }: Transcript): HistoryRow {
  const words = result === undefined ? '' : ` · ${firstWords(result)}`
  return { id, title: name, note: formatTime(at / 1000) + words, href: pathOf('transcribe', { task: id }) }
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
  useEffect(() => {
    const id = active ? query.get('file_id') : null
    if (id === null) return
    // A reload shows the transcript, and does not make it again.
    changeQuery('transcribe', { file_id: undefined, name: undefined })
    if (shown !== undefined && 'file_id' in shown && shown.file_id === id) return
    start({ file_id: id, name: query.get('name') ?? id })
  }, [active, query, shown, start])
}

/** A transcription that runs: the upload of its file, then its live text. */
export function Progress(props: { readonly state: TranscriptionState; readonly onStop: () => void }): ReactElement {
  const { log } = usePanel()
  const { source, turns, pending } = props.state
  const label = `Transcribing ${source?.name ?? ''}`
  const speakers = speakersOf(turns)
  return (
    <section className="card" aria-label="Transcription in progress">
      <div className="row wraps between">
        {source !== undefined && 'file' in source ? (
          <UploadProgress log={log} name={source.name} size={source.file.size} next={label} />
        ) : (
          <Loading label={`${label} …`} />
        )}
        <Button icon="stop" look="small" onClick={props.onStop}>
          Stop
        </Button>
      </div>
      {(turns.length > 0 || pending !== '') && (
        <>
          {/* Screen readers announce each complete turn, not each word. */}
          <div className="live-text grid gap-2 large" role="log" aria-label="Live text">
            {turns.map((turn) => (
              <p key={turn.id}>
                <SpeakerDot index={speakers.indexOf(turn.speaker)} />{' '}
                <span className="visually-hidden">{turn.speaker}: </span>
                {turn.text}
              </p>
            ))}
          </div>
          {pending !== '' && <p className="live-text large faint">{pending}</p>}
        </>
      )}
    </section>
  )
}
