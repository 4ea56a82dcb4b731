import './transcribe.css'
import { type ReactElement, useEffect, useRef, useState } from 'react'
import { useRecorder } from '../../audio/recorder.ts'
import { RecorderCard } from '../../components/audio-input.tsx'
import { Button, Icon } from '../../components/button.tsx'
import { CheckField, named, SelectField, TextField } from '../../components/form.tsx'
import { HistoryList, type HistoryRow } from '../../components/lists.tsx'
import { ErrorText, FailureBox, Loading, StatusLine, UploadProgress } from '../../components/states.tsx'
import { failureOf } from '../../lib/calls.ts'
import { formatTime } from '../../lib/format.ts'
import { useDraft, useStore } from '../../lib/store.ts'
import { connection } from '../../shell/connection.ts'
import { usePanel } from '../../shell/panel-context.ts'
import { PanelFrame } from '../../shell/panel-frame.tsx'
import { changeQuery, pathOf, route } from '../../shell/router.tsx'
import { transcriptionSnippets } from './snippets.ts'
import { Sources } from './sources.tsx'
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
import { type TranscriptionState, useTranscription } from './use-transcription.ts'
import { SpeakerDot, TranscriptView } from './transcript-view.tsx'

/** Speech to text. */
export function Panel(): ReactElement {
  const [draft, change] = useDraft('transcribe', FIRST_DRAFT)
  const control = useTranscription()
  const { running, current, state, failure, history } = control
  const { transcripts, open } = history
  const start = (source: AudioSource): void => control.start(source, draft)
  const heard = useHeard()
  const recorder = useRecorder(draft.live ? heard.add : undefined)
  useFileOfAddress(state.source, start)
  const record = (): void => {
    // The old transcript does not belong to the new recording. One that runs continues.
    control.reset()
    heard.clear()
    recorder.start()
  }
  const { source } = state
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
      <FailureBox failure={failure} onRetry={() => control.retry()} />
      {running && <Progress state={state} onStop={control.stop} />}
      <StatusLine text={control.status} />
      {!running && <FailureBox failure={history.failure} onRetry={history.reload} />}
      {open?.result !== undefined && (
        <TranscriptView
          key={open.id}
          transcript={open}
          result={open.result}
          onChange={(fields) => history.change(open.id, fields)}
        />
      )}
      <HistoryList
        rows={transcripts.filter((one) => one !== open && one.id !== current).map((one) => rowOf(one, control.retry))}
        onRemove={control.remove}
      />
    </PanelFrame>
  )
}

/** What was said so far, while the recording runs. */
function Words({ heard: { text, failure } }: { readonly heard: ReturnType<typeof useHeard> }): ReactElement {
  return (
    <>
      <p className="live-text large" role="status">
        {text || <span className="faint">Speak: your words appear after each pause.</span>}
      </p>
      {failure !== undefined && <p className="hint">{failure}</p>}
    </>
  )
}

function rowOf({ id, name, at, result, work }: Transcript, retry: (id: string) => void): HistoryRow {
  const time = formatTime(at / 1000)
  if (work === undefined) {
    const words = result === undefined ? '' : ` · ${firstWords(result)}`
    return { id, title: name, note: time + words, href: pathOf('transcribe', { task: id }) }
  }
  if (work.state !== 'failed') return { id, title: name, note: `${time} · Waits for its turn` }
  return {
    id,
    title: name,
    note: `${time} · Not transcribed`,
    children: (
      <div className="row gap-2 between">
        <ErrorText>{work.failure}</ErrorText>
        <Button look="small" aria-label={`Retry ${name}`} onClick={() => retry(id)}>
          Retry
        </Button>
      </div>
    ),
  }
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

/** Recognizes the pieces of a recording while the user still speaks. */
function useHeard() {
  const { client } = usePanel()
  const [heard, setHeard] = useState<{ readonly text: string; readonly failure?: string }>({ text: '' })
  const controller = useRef(new AbortController())
  const last = useRef<Promise<void>>(Promise.resolve())
  const add = (wav: Blob): void => {
    const { signal } = controller.current
    const recognize = async (): Promise<void> => {
      if (signal.aborted) return
      try {
        const file = { data: wav, name: 'piece.wav' }
        const { text } = await client.transcriptions.create({ model: 'svc-transcribe-1.0', file }, { signal })
        if (!signal.aborted) setHeard((before) => ({ text: `${before.text} ${text}`.trim() }))
      } catch (error) {
        if (!signal.aborted) setHeard(({ text }) => ({ text, failure: failureOf(error).message }))
      }
    }
    // One after another: the text keeps its order, and one recording takes one worker of the service.
    last.current = last.current.then(recognize)
  }
  const clear = (): void => {
    controller.current.abort()
    controller.current = new AbortController()
    setHeard({ text: '' })
  }
  useEffect(() => () => controller.current.abort(), [])
  return { ...heard, add, clear }
}

/** Model, live text and key terms. */
function TranscribeSettings(props: {
  readonly draft: TranscribeDraft
  readonly change: (change: Partial<TranscribeDraft>) => void
}): ReactElement {
  const { draft, change } = props
  const { embedded } = useStore(connection)
  const speakers = draft.model === SPEAKERS_MODEL
  return (
    <>
      <SelectField
        label="Model"
        value={draft.model}
        options={named('svc-transcribe-diarize-pro', 'svc-transcribe-1.0')}
        onChange={(model) => change({ model })}
        hint={speakers ? 'Separates speakers and gives times.' : 'One text, without speakers and times.'}
      />
      <CheckField
        label="Live text"
        hint="Shows the words of a recording while you speak, and those of a model with speakers as it recognizes them."
        checked={draft.live}
        onChange={(live) => change({ live })}
      />
      {speakers && (
        <>
          <TextField
            label="Key terms"
            hint="Names and terms to recognize, one per line."
            rows={3}
            value={draft.keyterms}
            onChange={(keyterms) => change({ keyterms })}
          />
        </>
      )}
      {embedded === true && (
        <p className="notice warning">
          <Icon name="warning" />
          <span>
            The local recognizer knows US English only. Speech in another language becomes English words that were not
            said.
          </span>
        </p>
      )}
    </>
  )
}
