import type { ReactElement } from 'react'
import type { ExchangeLog } from '../inspector/exchange-log.ts'
import { formatBytes } from '../lib/format.ts'
import { useFrames } from '../lib/frames.ts'
import { Loading } from './states.tsx'

/** Options of {@link UploadProgress}. */
export interface UploadProgressProps {
  /** The panel's requests. The newest one that is open counts. */
  readonly log: ExchangeLog
  readonly name: string
  /** Of the file, in bytes. */
  readonly size: number
}

/** How much of a file the browser has sent. */
export function UploadProgress({ log, name, size }: UploadProgressProps): ReactElement {
  const share = useFrames(log, (exchanges) => {
    const upload = exchanges.find(({ state, upload: sent }) => state === 'open' && sent !== undefined)?.upload
    return upload === undefined ? 0 : upload.sent / upload.total
  })
  const label = `Uploading ${name}, ${formatBytes(size)}`
  return (
    <div className="upload">
      <Loading label={share < 1 ? `${label} …` : `Storing ${name} …`} />
      <span className="upload-share">
        <progress aria-label={label} max={1} value={share} />
        <span className="clock">{Math.floor(share * 100)} %</span>
      </span>
    </div>
  )
}
