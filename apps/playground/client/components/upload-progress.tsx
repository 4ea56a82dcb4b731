import { type ReactElement, useState } from 'react'
import type { ExchangeLog } from '../inspector/exchange-log.ts'
import { formatBytes } from '../lib/format.ts'
import { useFrames } from '../lib/frames.ts'
import { Loading } from './states.tsx'

/** Options of {@link UploadProgress}. */
export interface UploadProgressProps {
  /** The panel's requests. The newest upload counts that is open, or was sent since the component appeared. */
  readonly log: ExchangeLog
  readonly name: string
  /** Of the file, in bytes. */
  readonly size: number
  /** What the service does when it has the file, e.g. `Transcribing talk.wav`. */
  readonly next: string
}

/** How much of a file the browser has sent, and then what the service does. */
export function UploadProgress({ log, name, size, next }: UploadProgressProps): ReactElement {
  const [before] = useState(() => log.get()[0]?.id ?? 0)
  const share = useFrames(log, (exchanges) => {
    const upload = exchanges.find(
      ({ id, state, upload: sent }) => sent !== undefined && (state === 'open' || (state === 'done' && id > before)),
    )?.upload
    return upload === undefined ? 0 : upload.sent / upload.total
  })
  const label = `Uploading ${name}, ${formatBytes(size)}`
  return (
    <div className="upload">
      <Loading label={`${share < 1 ? label : next} …`} />
      {share < 1 && (
        <span className="upload-share">
          <progress aria-label={label} max={1} value={share} />
          <span className="clock">{Math.floor(share * 100)} %</span>
        </span>
      )}
    </div>
  )
}
