import type { ReactElement, ReactNode } from 'react'
import { Link } from '../shell/router.tsx'
import { IconButton } from './button.tsx'

/** A row of a {@link HistoryList}. */
export interface HistoryRow {
  readonly id: string
  /** First words, or a name. */
  readonly title: string
  /** Time and settings. */
  readonly note: string
  /** Address in the page that opens it. */
  readonly href: string
  /** Player and buttons. */
  readonly children?: ReactNode
}

/** Earlier work of a panel, also of earlier visits and of other tabs. */
export function HistoryList(props: {
  /** Newest first. */
  readonly rows: readonly HistoryRow[]
  readonly onRemove: (id: string) => void
}): ReactElement | false {
  const { rows, onRemove } = props
  return (
    rows.length > 0 && (
      <section className="stack" aria-label="History">
        <h2>History</h2>
        <ol className="box list">
          {rows.map(({ id, title, note, href, children }) => (
            <li key={id} className="grid gap-2 pad-item">
              <div className="row gap-2">
                <div className="grid grow slim">
                  <Link href={href} className="short">
                    {title}
                  </Link>
                  <p className="hint short">{note}</p>
                </div>
                <IconButton icon="cross" label={`Remove ${title} from the history`} onClick={() => onRemove(id)} />
              </div>
              {children}
            </li>
          ))}
        </ol>
      </section>
    )
  )
}
