import { type ReactElement, useEffect, useState } from 'react'
import type { PanelId } from '../../shared/panels.ts'
import { IconButton } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { useStore } from '../lib/store.ts'
import { panels } from '../panels/registry.ts'
import { ConnectionBanner } from './connection-banner.tsx'
import { Link } from './link.tsx'
import { Nav } from './nav.tsx'
import { PanelHost } from './panel-host.tsx'
import { pathOf, route } from './router.ts'

/** The whole page. */
export function App(): ReactElement {
  const { panel: current } = useStore(route)
  const opened = useOpened(current)
  const title = panels.find(({ id }) => id === current)?.title
  useEffect(() => {
    document.title = title === undefined ? 'svc-audio playground' : `${title} · svc-audio`
  }, [title])
  return (
    <div className="app">
      <a className="skip-link" href="#content">
        Skip to the content
      </a>
      <header className="sidebar">
        <Brand />
        <Nav current={current} />
      </header>
      <TopBar current={current} />
      <main id="content" className="content" tabIndex={-1}>
        <ConnectionBanner />
        {current === undefined && (
          <div className="empty">
            <h1 className="empty-title">There is no page at this address.</h1>
            <Link className="button" href={pathOf('speak')}>
              Open Speak
            </Link>
          </div>
        )}
        {panels
          .filter(({ id }) => opened.has(id))
          .map((panel) => (
            <PanelHost key={panel.id} panel={panel} active={panel.id === current} />
          ))}
      </main>
    </div>
  )
}

/** The panels that were opened, with the current one. */
function useOpened(current: PanelId | undefined): ReadonlySet<PanelId> {
  const [opened, setOpened] = useState<ReadonlySet<PanelId>>(new Set())
  if (current === undefined || opened.has(current)) return opened
  const more = new Set([...opened, current])
  setOpened(more)
  return more
}

function Brand(): ReactElement {
  return (
    <Link className="brand" href={pathOf('speak')} aria-label="svc-audio playground">
      <img src="/icon.svg" alt="" width="26" height="26" />
      <span className="nav-label">svc-audio</span>
    </Link>
  )
}

/** Replaces the sidebar on a phone. */
function TopBar({ current }: { readonly current: PanelId | undefined }): ReactElement {
  const [open, setOpen] = useState(false)
  return (
    <header className="top-bar">
      <Brand />
      <IconButton icon="menu" label="Menu" aria-expanded={open} onClick={() => setOpen(true)} />
      {open && (
        <Dialog title="Menu" className="menu" onClose={() => setOpen(false)}>
          <Nav current={current} onFollow={() => setOpen(false)} />
        </Dialog>
      )}
    </header>
  )
}
