import type { Key, ReactElement, ReactNode } from 'react'
import { Link } from '../shell/router.tsx'
import { IconButton } from './button.tsx'

/** A column of a {@link Table}. */
export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => ReactNode
  /** Numbers stand to the right. */
  readonly numeric?: boolean
  /** Hides the column on a phone. */
  readonly wide?: boolean
}

/** Rows of data. The first column names the row. */
export function Table<Row>(props: {
  /** For screen readers. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => Key
}): ReactElement {
  const { label, columns, rows, keyOf } = props
  return (
    // It can be scrolled sideways, so the keyboard must reach it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="table-box box" tabIndex={0} role="region" aria-label={label}>
      <table className="table">
        <thead>
          <tr>
            {columns.map(({ title, numeric, wide }) => (
              <th key={title} scope="col" data-numeric={numeric} data-wide={wide}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ title, cell, numeric, wide }, index) =>
                index === 0 ? (
                  <th key={title} scope="row" data-wide={wide}>
                    {cell(row)}
                  </th>
                ) : (
                  <td key={title} data-numeric={numeric} data-wide={wide}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** A row of a {@link HistoryList}. */
export interface HistoryRow {
  readonly id: string
  /** First words, or a name. */
  readonly title: string
  /** Time and settings. */
  readonly note: string
  /** Address in the page that opens it. Work that is not complete has nothing to open. */
  readonly href?: string
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
                  {href === undefined ? (
                    <p className="short">{title}</p>
                  ) : (
                    <Link href={href} className="short">
                      {title}
                    </Link>
                  )}
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
