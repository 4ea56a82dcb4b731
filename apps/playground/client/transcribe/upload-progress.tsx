import type { ReactElement } from 'react'
import { formatBytes } from '../components/format.ts'
import { Icon } from '../components/icon.tsx'
import type { TranscriptionState } from './transcription-state.ts'

/** Progress of a transcription. */
export function UploadProgress(props: {
  readonly state: TranscriptionState
  readonly onCancel: () => void
}): ReactElement {
  const { phase, source, sent } = props.state
  const sending = phase === 'sending'
  return (
    <div className="upload">
      <div className="field-head">
        <span className="upload-name">{source?.name}</span>
        <span className="counter">{formatBytes(source?.file.size ?? 0)}</span>
        <button type="button" className="button button-quiet" onClick={props.onCancel}>
          <Icon name="cross" />
          Cancel
        </button>
      </div>
      <progress
        aria-label={sending ? 'Upload' : 'Recognition'}
        max={1}
        // Without a value, the bar shows an unknown duration.
        {...(sending ? { value: sent } : {})}
      />
    </div>
  )
}
