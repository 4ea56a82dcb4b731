import type { ReactElement } from 'react'
import { Button } from '../../components/button.tsx'
import { Loading } from '../../components/states.tsx'
import { UploadProgress } from '../../components/upload-progress.tsx'
import { usePanel } from '../../shell/panel-context.ts'
import { speakersOf } from './result.ts'
import { SpeakerDot } from './speakers.tsx'
import type { TranscriptionState } from './use-transcription.ts'

/** A transcription that runs: the upload of its file, then its live text. */
export function Progress(props: { readonly state: TranscriptionState; readonly onStop: () => void }): ReactElement {
  const { log } = usePanel()
  const { source, turns, pending } = props.state
  const label = `Transcribing ${source?.name ?? ''}`
  const speakers = speakersOf(turns)
  return (
    <section className="card" aria-label="Transcription in progress">
      <div className="running">
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
          <div className="live-text" role="log" aria-label="Live text">
            {turns.map((turn) => (
              <p key={turn.id}>
                <SpeakerDot index={speakers.indexOf(turn.speaker)} />
                <span className="visually-hidden">{turn.speaker}: </span>
                {turn.text}
              </p>
            ))}
          </div>
          {pending !== '' && <p className="live-text faint">{pending}</p>}
        </>
      )}
    </section>
  )
}
