import { type KeyboardEvent, type ReactElement, type ReactNode, useRef } from 'react'
import { Icon, type IconName } from './button.tsx'

/** A tab. */
export interface TabItem<Id extends string> {
  readonly id: Id
  readonly label: string
  readonly icon?: IconName
  /** A number beside the label. */
  readonly count?: number
}

/** Options of {@link Tabs}. */
export interface TabsProps<Id extends string> {
  /** For screen readers. */
  readonly label: string
  /** Prefix of the ids of the tabs and their contents, which {@link TabPanels} has too. */
  readonly prefix: string
  readonly items: readonly TabItem<Id>[]
  readonly selected: Id
  readonly onSelect: (id: Id) => void
}

/** The id of the content of a tab. */
export function tabContentId(prefix: string, id: string): string {
  return `${prefix}-${id}-content`
}

/** A list of tabs. The arrow keys, Home and End select. */
export function Tabs<Id extends string>(props: TabsProps<Id>): ReactElement {
  const { label, prefix, items, selected, onSelect } = props
  const list = useRef<HTMLDivElement>(null)
  const press = (event: KeyboardEvent): void => {
    const at = items.findIndex(({ id }) => id === selected)
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: items.length - 1 }[event.key]
    const next = to === undefined ? undefined : items.at(to % items.length)
    if (next === undefined) return
    event.preventDefault()
    onSelect(next.id)
    list.current?.querySelector<HTMLElement>(`[data-tab="${next.id}"]`)?.focus()
  }
  return (
    // oxlint-disable-next-line jsx-a11y/interactive-supports-focus -- its tabs have the focus
    <div className="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={press}>
      {items.map(({ id, label: text, icon, count }) => (
        <button
          key={id}
          type="button"
          role="tab"
          className="tab"
          data-tab={id}
          id={`${prefix}-${id}-tab`}
          aria-selected={id === selected}
          aria-controls={tabContentId(prefix, id)}
          tabIndex={id === selected ? 0 : -1}
          onClick={() => onSelect(id)}
        >
          {icon !== undefined && <Icon name={icon} />}
          {text}
          {count !== undefined && count > 0 && <span className="badge muted">{count}</span>}
        </button>
      ))}
    </div>
  )
}

/** The contents of {@link Tabs}, each in its place. One is on the screen. */
export function TabPanels<Id extends string>(
  props: Pick<TabsProps<Id>, 'prefix' | 'selected'> & {
    readonly ids: readonly Id[]
    readonly className?: string
    /** Renders the content of a tab. A content that is `false` while it is hidden loses its state. */
    readonly children: (id: Id, shown: boolean) => ReactNode
  },
): ReactElement {
  const { prefix, ids, selected, className, children } = props
  return (
    <>
      {ids.map((id) => (
        <div
          key={id}
          role="tabpanel"
          className={className}
          id={tabContentId(prefix, id)}
          aria-labelledby={`${prefix}-${id}-tab`}
          hidden={id !== selected}
        >
          {children(id, id === selected)}
        </div>
      ))}
    </>
  )
}
