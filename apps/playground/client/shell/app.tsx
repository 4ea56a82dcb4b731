import {
  Component,
  type ComponentType,
  Fragment,
  type ReactElement,
  type ReactNode,
  useEffect,
  useMemo,
  useState,
} from 'react'
import type { PanelId } from '../../shared/api.ts'
import { Button, Icon, IconButton, type IconName } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { Loading } from '../components/states.tsx'
import { ExchangeLog } from '../inspector/exchange.ts'
import { createPanelClient } from '../lib/client.ts'
import { readStored, useShared, useStore } from '../lib/store.ts'
import { checkConnection, connection, type ConnectionState } from './connection.ts'
import { type PanelContext, PanelProvider } from './panel-context.ts'
import { Link, pathOf, route } from './router.tsx'

/** The whole page. */
export function App(): ReactElement {
  const { panel: current } = useStore(route)
  const opened = useOpened(current)
  const title = panels.find(({ id }) => id === current)?.title
  useEffect(() => {
    document.title = title === undefined ? 'svc-audio playground' : `${title} · svc-audio`
  }, [title])
  return (
    <div className="app grid">
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
          <div className="empty grid gap-2 centered">
            <h1>There is no page at this address.</h1>
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
    <Link className="brand row gap-3" href={pathOf('speak')} aria-label="svc-audio playground">
      <img src="/icon.svg" alt="" width="26" height="26" />
      svc-audio
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
        <Dialog title="Menu" onClose={() => setOpen(false)}>
          <Nav current={current} onFollow={() => setOpen(false)} />
        </Dialog>
      )}
    </header>
  )
}

/** The list of the panels, the state of the service, and the theme. */
export function Nav(props: { readonly current: PanelId | undefined; readonly onFollow?: () => void }): ReactElement {
  const { current, onFollow } = props
  return (
    <>
      <nav aria-label="Panels" className="nav grid gap-1 grow">
        {panels.map(({ id, title, icon, group }, index) => (
          <Fragment key={id}>
            {group !== panels[index - 1]?.group && <p className="nav-group faint strong tiny">{group}</p>}
            <Link
              href={pathOf(id)}
              className="item nav-link row gap-3 muted"
              title={title}
              aria-current={id === current ? 'page' : undefined}
              onClick={onFollow}
            >
              <Icon name={icon} />
              {title}
            </Link>
          </Fragment>
        ))}
      </nav>
      <div className="grid">
        <ServiceState />
        <ThemeSwitch />
      </div>
    </>
  )
}

/** A word for each state, and what the banner says about it. */
const STATES: Readonly<Record<ConnectionState, readonly [word: string, what: string, then: string]>> = {
  up: ['Ready', '', ''],
  starting: ['Starting', 'The service is starting.', 'It answers in a moment.'],
  down: ['Not available', 'The service does not answer.', 'The page tries to reach it again.'],
  silent: [
    'No response',
    'The service takes requests and does not answer.',
    'It may be busy or frozen. What you started may still end.',
  ],
  refused: [
    'Key refused',
    'The service refuses the key of the playground.',
    'Set SVC_AUDIO_API_KEY to a key of your service, and start the playground again.',
  ],
  offline: ['Offline', 'The browser is offline.', 'The page continues when the connection is back.'],
  unreachable: [
    'Stopped',
    'The playground has stopped.',
    'Start it again with npx -y pnpm@12 playground. The page then continues.',
  ],
}

function ServiceState(): ReactElement {
  const { state, embedded } = useStore(connection)
  return (
    <p className="service row wraps gap-2 small" data-state={state}>
      <span className="dot" aria-hidden="true" />
      {embedded === false ? 'Your service' : 'Local service'} <span className="muted">{STATES[state][0]}</span>
    </p>
  )
}

/** Says why nothing works, in one place, until it works again. */
export function ConnectionBanner(): ReactElement {
  const { state } = useStore(connection)
  const [, what, then] = STATES[state]
  const [retrying, setRetrying] = useState(false)
  const retry = async (): Promise<void> => {
    setRetrying(true)
    await checkConnection(true)
    setRetrying(false)
  }
  return (
    <div className="connection" role="alert">
      {state !== 'up' && (
        <div className="notice warning connection-banner">
          <Icon name="warning" />
          <p>
            <b>{what}</b> {then}
          </p>
          <Button look="small" disabled={retrying} onClick={() => void retry()}>
            Retry
          </Button>
        </div>
      )}
    </div>
  )
}

const THEMES = [
  { name: 'system', label: 'System', icon: 'system' },
  { name: 'light', label: 'Light', icon: 'sun' },
  { name: 'dark', label: 'Dark', icon: 'moon' },
] as const

const KEY = 'theme'

/** Applies the stored theme before the first paint. */
export function applyStoredTheme(): void {
  document.documentElement.dataset['theme'] = readStored<string>(KEY, 'system')
}

/** Switches between light, dark and the system's theme. The browser stores the choice. */
export function ThemeSwitch(): ReactElement {
  const [theme, setTheme] = useShared<string>(KEY, 'system')
  useEffect(() => {
    document.documentElement.dataset['theme'] = theme
  }, [theme])
  return (
    <fieldset className="theme-switch row between">
      <legend className="visually-hidden">Theme</legend>
      {THEMES.map(({ name, label, icon }) => (
        <label key={name} className="icon-button" title={label}>
          <input
            type="radio"
            name="theme"
            className="visually-hidden"
            checked={theme === name}
            onChange={() => setTheme(() => name)}
          />
          <Icon name={icon} />
          <span className="visually-hidden">{label}</span>
        </label>
      ))}
    </fieldset>
  )
}

/** Loads a panel when it is first opened. A hidden panel stays: its audio plays on, and its state waits. */
export function PanelHost(props: { readonly panel: PanelDefinition; readonly active: boolean }): ReactElement {
  const { panel, active } = props
  const [module, setModule] = useState<PanelModule>()
  const [failed, setFailed] = useState(false)
  const own = useMemo(() => {
    const log = new ExchangeLog()
    return { log, client: createPanelClient(log) }
  }, [])
  const context = useMemo<PanelContext>(() => ({ id: panel.id, active, ...own }), [panel, active, own])
  const { epoch } = useStore(connection)
  const isLoaded = module !== undefined
  // A panel that was opened without a connection is loaded when the connection is back.
  useEffect(() => {
    if (isLoaded) return
    setFailed(false)
    panel.load().then(setModule, () => {
      setFailed(true)
      // The page notices an outage soon, and its end: the epoch grows.
      void checkConnection()
    })
  }, [panel, epoch, isLoaded])
  return (
    <div hidden={!active} className="panel-host">
      <PanelBoundary title={panel.title}>
        {failed ? (
          <Broken title={panel.title} />
        ) : module === undefined ? (
          <Loading label={`Opening ${panel.title} …`} />
        ) : (
          <PanelProvider value={context}>
            <module.Panel />
          </PanelProvider>
        )}
      </PanelBoundary>
    </div>
  )
}

/** A mistake in a panel must not take the others away. */
class PanelBoundary extends Component<
  { readonly title: string; readonly children: ReactNode },
  { readonly failed: boolean }
> {
  override state: { readonly failed: boolean } = { failed: false }

  static getDerivedStateFromError(): { readonly failed: boolean } {
    return { failed: true }
  }

  override render(): ReactNode {
    return this.state.failed ? <Broken title={this.props.title} /> : this.props.children
  }
}

/** Some browsers do not load a file again that has failed: a reload does. Drafts survive it. */
function Broken({ title }: { readonly title: string }): ReactElement {
  return (
    <div className="empty grid gap-2 centered" role="alert">
      <h1>{title} cannot be shown.</h1>
      <Button onClick={() => location.reload()}>Reload the page</Button>
    </div>
  )
}

/** A panel of the page. */
interface PanelDefinition {
  readonly id: PanelId
  /** In the navigation. */
  readonly title: string
  readonly icon: IconName
  /** A heading in the navigation. */
  readonly group: 'Audio' | 'Manage' | 'Verify'
  /** Loads its code, when it is opened. */
  readonly load: () => Promise<PanelModule>
}

/** The module of a panel. */
interface PanelModule {
  readonly Panel: ComponentType
}

// Each panel is a file of its own, which the browser loads when it is opened.
const MODULES = import.meta.glob<PanelModule>('../panels/*/panel.tsx')

/** Every panel, in the order of the navigation. To add one: README, "Add a panel". */
export const panels: readonly PanelDefinition[] = [
  definePanel('speak', 'Speak', 'speak', 'Audio'),
  definePanel('transcribe', 'Transcribe', 'transcribe', 'Audio'),
  definePanel('dialogue', 'Dialogue', 'dialogue', 'Audio'),
  definePanel('talk', 'Talk', 'microphone', 'Audio'),
  definePanel('voices', 'Voices', 'voices', 'Audio'),
  definePanel('tasks', 'Tasks', 'tasks', 'Manage'),
  definePanel('files', 'Files', 'files', 'Manage'),
  definePanel('models', 'Models', 'models', 'Manage'),
  definePanel('round-trip', 'Round trip', 'loop', 'Verify'),
  definePanel('integrations', 'Integrations', 'plug', 'Verify'),
]

function definePanel(id: PanelId, title: string, icon: IconName, group: PanelDefinition['group']): PanelDefinition {
  const load = MODULES[`../panels/${id}/panel.tsx`] ?? (() => Promise.reject(new Error(`There is no panel ${id}`)))
  return { id, title, icon, group, load }
}
