import type { ReactElement } from 'react'
import { wordErrorRate } from '@svc-audio/testing'
import { CopyButton } from '../components/copy-button.tsx'
import { Facts } from '../components/facts.tsx'
import { formatMs, formatPercent } from '../components/format.ts'
import { Compared } from './compared.tsx'

/** Options of {@link Transcript}. */
export interface TranscriptProps {
  readonly text: string
  /** The spoken text, if known. */
  readonly said: string | undefined
  readonly ms: number
}

/** The transcript and its measurements. */
export function Transcript({ text, said, ms }: TranscriptProps): ReactElement {
  const rate = said === undefined ? undefined : wordErrorRate(said, text)
  const words = text.split(/\s+/).filter((word) => word !== '').length
  return (
    <div className="transcript">
      <div className="field-head">
        <h3>Heard</h3>
        <CopyButton text={text} label="Copy" />
      </div>
      <p className="transcript-text">
        {text === '' ? (
          <span className="faint">No speech</span>
        ) : said === undefined ? (
          text
        ) : (
          <Compared said={said} heard={text} />
        )}
      </p>
      <Facts
        facts={[
          { name: 'Time', value: formatMs(ms) },
          { name: 'Words', value: String(words) },
          {
            name: 'Word error rate',
            value: rate === undefined ? undefined : formatPercent(rate),
            ...(rate === undefined ? {} : { tone: rate <= 0.15 ? 'good' : 'bad' }),
          },
        ]}
      />
    </div>
  )
}
