import { type ReactElement, useCallback } from 'react'
import { formatClock, formatMs } from '../components/format.ts'
import { Icon } from '../components/icon.tsx'
import { LevelMeter } from '../components/level-meter.tsx'
import { Panel } from '../components/panel.tsx'
import { StatusLine } from '../components/status-line.tsx'
import { type Speech, wavOf } from '../speak/speech.ts'
import { DropZone } from './drop-zone.tsx'
import { Transcript } from './transcript.tsx'
import type { TranscriptionPhase, TranscriptionState } from './transcription-state.ts'
import { UploadProgress } from './upload-progress.tsx'
import { type RecorderControl, useRecorder } from './use-recorder.ts'
import { useTranscription } from './use-transcription.ts'

/** Speech to text, from a file, the microphone or the last speech. */
export function TranscribePanel({ speech }: { readonly speech: Speech | undefined }): ReactElement {
  const { state, start, cancel } = useTranscription()
  const onRecorded = useCallback((wav: Blob) => start({ file: wav, name: 'recording.wav' }), [start])
  const recorder = useRecorder(onRecorded)
  const { phase, source, transcript, ms } = state
  const busy = phase === 'sending' || phase === 'reading'
  return (
    <Panel title="Transcribe" about="Speech to text, from a file or the microphone.">
      <DropZone onFile={(file) => start({ file, name: file.name })}>
        <RecordButton recorder={recorder} />
        <button
          type="button"
          className="button"
          disabled={speech === undefined}
          onClick={() => speech !== undefined && start({ file: wavOf(speech), name: 'speech.wav', said: speech.text })}
        >
          <Icon name="arrow" />
          Use the last speech
        </button>
      </DropZone>
      <StatusLine text={recorder.recording ? 'Recording …' : statusOf(state)} error={recorder.error ?? state.error} />
      {recorder.recording && <LevelMeter label="Level of the microphone" level={recorder.level} />}
      {busy && <UploadProgress state={state} onCancel={cancel} />}
      {transcript !== undefined && <Transcript text={transcript} said={source?.said} ms={ms ?? 0} />}
    </Panel>
  )
}

function RecordButton({ recorder }: { readonly recorder: RecorderControl }): ReactElement {
  const { recording, seconds, start, finish } = recorder
  return (
    <button type="button" className="button" data-recording={recording} onClick={recording ? finish : start}>
      <Icon name={recording ? 'stop' : 'microphone'} />
      {recording ? (
        <>
          Stop and transcribe <span className="clock">{formatClock(seconds)}</span>
        </>
      ) : (
        'Record'
      )}
    </button>
  )
}

const STATUS: Readonly<Record<Exclude<TranscriptionPhase, 'sending' | 'done'>, string>> = {
  idle: 'Nothing transcribed yet.',
  reading: 'Recognizing …',
  cancelled: 'Cancelled.',
  failed: 'Failed.',
}

function statusOf({ phase, source, sent, ms }: TranscriptionState): string {
  // Steps of ten, because screen readers announce each change.
  if (phase === 'sending') return `Uploading: ${Math.floor(sent * 10) * 10} %`
  if (phase === 'done') return `Transcribed ${source?.name ?? ''} in ${formatMs(ms ?? 0)}.`
  return STATUS[phase]
}
