import type { ReactElement } from 'react'
import { formatMs } from '../lib/format.ts'
import type { Exchange } from './exchange.ts'

/** How long the parts of a request took, as bars on one scale. */
export function Timings({ exchange }: { readonly exchange: Exchange }): ReactElement {
  const { headersMs, firstByteMs, endMs, events } = exchange
  const audio = events.find(({ type }) => type === 'speech.audio.delta' || type === 'transcript.text.delta')
  const total = endMs ?? events.at(-1)?.atMs ?? firstByteMs ?? headersMs ?? 0
  const marks = [
    { name: 'Headers', ms: headersMs },
    { name: 'First byte', ms: firstByteMs },
    ...(audio === undefined ? [] : [{ name: 'First content', ms: audio.atMs }]),
    { name: 'Complete', ms: endMs },
  ]
  return (
    <dl className="timings" aria-label="Timings">
      {marks.map(({ name, ms }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <span className="timing-bar" style={{ '--share': `${total === 0 ? 0 : ((ms ?? 0) / total) * 100}%` }} />
            <span className="clock">{ms === undefined ? '–' : formatMs(ms)}</span>
          </dd>
        </div>
      ))}
    </dl>
  )
}
