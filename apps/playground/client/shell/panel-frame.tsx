import { type ReactElement, type ReactNode, useState } from 'react'
import { CodeTab } from '../code/code-tab.tsx'
import type { Snippet } from '../code/snippet.ts'
import { Icon } from '../components/button.tsx'
import { type TabItem, TabPanels, Tabs } from '../components/tabs.tsx'
import { Inspector } from '../inspector/inspector.tsx'
import { useFrames, useStore } from '../lib/store.ts'
import { usePanel } from './panel-context.ts'
import { changeQuery, route } from './router.tsx'

const TABS = ['use', 'code', 'inspector'] as const
type TabId = (typeof TABS)[number]

/**
 * The frame of every panel: title, settings rail, and the tabs Use, Code and Inspector. The address names the tab. The
 * content stays while another tab is open.
 */
export function PanelFrame(props: {
  readonly title: string
  /** One sentence. */
  readonly about: string
  /** The controls of the settings rail. Without them, the panel has the whole width. */
  readonly settings?: ReactNode
  /** Code that does what is on the screen. Computed when the tab is open. */
  readonly code?: () => readonly Snippet[]
  readonly children: ReactNode
}): ReactElement {
  const { title, about, settings, code, children } = props
  const { id, active, log } = usePanel()
  const requests = useFrames(log, ({ length }) => length)
  const tab = useTab()
  const items: TabItem<TabId>[] = [
    { id: 'use', label: title },
    ...(code === undefined ? [] : [{ id: 'code', label: 'Code', icon: 'code' } as const]),
    { id: 'inspector', label: 'Inspector', icon: 'inspector', count: requests },
  ]
  return (
    <div className="panel grid" data-rail={settings !== undefined}>
      <header className="panel-head wraps between">
        <div className="panel-title">
          <h1>{title}</h1>
          <p className="muted">{about}</p>
        </div>
        <Tabs
          label={`Views of ${title}`}
          prefix={id}
          items={items}
          selected={tab}
          onSelect={(next) => changeQuery(id, { tab: next === 'use' ? undefined : next })}
        />
      </header>
      <div className="panel-body grid">
        <div className="panel-main slim">
          <TabPanels prefix={id} ids={TABS} selected={tab} className="panel-view stack">
            {(name, shown) => {
              if (name === 'use') return children
              if (name === 'code') return shown && active && code !== undefined && <CodeTab snippets={code()} />
              return shown && <Inspector log={log} />
            }}
          </TabPanels>
        </div>
        {settings !== undefined && <SettingsRail>{settings}</SettingsRail>}
      </div>
    </div>
  )
}

/** The tab of the address, for the panel on the screen. A hidden panel stays on its own tab. */
function useTab(): TabId {
  const { active } = usePanel()
  const { query } = useStore(route)
  const named = TABS.find((tab) => tab === query.get('tab')) ?? 'use'
  const [last, setLast] = useState<TabId>(named)
  if (active && last !== named) setLast(named)
  return active ? named : last
}

/** Settings beside the panel; on a narrow screen behind a button. */
function SettingsRail({ children }: { readonly children: ReactNode }): ReactElement {
  const [open, setOpen] = useState(false)
  return (
    <aside className="rail" aria-label="Settings" data-open={open}>
      <button type="button" className="rail-toggle" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name="settings" />
        <span className="grow">Settings</span>
        <Icon name="chevron" />
      </button>
      <div className="rail-content grid">{children}</div>
    </aside>
  )
}
