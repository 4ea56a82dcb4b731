import { memo, type ReactElement } from 'react'
import { Button } from '../../components/button.tsx'
import { DownloadButton } from '../../components/download-button.tsx'
import { PlayerBar } from '../../components/player-bar.tsx'
import type { Take } from './take.ts'

/** Options of {@link History}. */
export interface HistoryProps {
  /** Newest first. */
  readonly takes: readonly Take[]
  /** Puts text and settings of a take back. The same function in each render. */
  readonly onReuse: (take: Take) => void
}

/** Earlier speeches of this visit. Their audio is in memory, and ends with the page. */
export function History({ takes, onReuse }: HistoryProps): ReactElement {
  return (
    <section className="section" aria-label="History">
      <h2>History</h2>
      <ol className="list">
        {takes.map((take) => (
          <Item key={take.id} take={take} onReuse={onReuse} />
        ))}
      </ol>
    </section>
  )
}

interface ItemProps extends Pick<HistoryProps, 'onReuse'> {
  readonly take: Take
}

/** While a new speech arrives, the panel renders several times per second. Earlier takes do not change. */
const Item = memo(function Item({ take, onReuse }: ItemProps): ReactElement {
  const time = take.at.toLocaleTimeString()
  return (
    <li className="history-item">
      <div className="history-text">
        <p>{take.draft.text}</p>
        <p className="hint">
          {time} · {take.draft.voice === '' ? 'default voice' : take.draft.voice}
          {take.end === 'cut' ? ' · incomplete' : ''}
        </p>
      </div>
      <PlayerBar player={take.player} label={`the speech of ${time}`} compact>
        <DownloadButton file={take.file} name={take.fileName} small />
        <Button icon="replay" look="small" onClick={() => onReuse(take)}>
          Use again
        </Button>
      </PlayerBar>
    </li>
  )
})
