import { type ReactElement, type ReactNode, useId } from 'react'

/** Parts of a {@link Panel}. */
export interface PanelProps {
  readonly title: string
  readonly about: ReactNode
  /** Content to the right of the title. */
  readonly action?: ReactNode
  readonly className?: string
  readonly children: ReactNode
}

/** A titled region of the page. */
export function Panel({ title, about, action, className = '', children }: PanelProps): ReactElement {
  const id = useId()
  return (
    <section className={`panel ${className}`} aria-labelledby={id}>
      <header className="panel-header">
        <div className="panel-title">
          <h2 id={id}>{title}</h2>
          <p className="muted">{about}</p>
        </div>
        {action}
      </header>
      {children}
    </section>
  )
}
