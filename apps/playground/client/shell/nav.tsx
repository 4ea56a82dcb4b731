import { Fragment, type ReactElement } from 'react'
import { Icon } from '../components/icon.tsx'
import { useStore } from '../lib/store.ts'
import { panels } from '../panels/registry.ts'
import type { PanelId } from '../../shared/panels.ts'
import { connection, type ConnectionState } from './connection.ts'
import { Link } from './link.tsx'
import { pathOf } from './router.ts'
import { ThemeSwitch } from './theme-switch.tsx'

/** Options of {@link Nav}. */
export interface NavProps {
  readonly current: PanelId | undefined
  readonly onFollow?: () => void
}

/** The list of the panels, the state of the service, and the theme. */
export function Nav({ current, onFollow }: NavProps): ReactElement {
  return (
    <>
      <nav aria-label="Panels" className="nav">
        {panels.map(({ id, title, icon, group }, index) => (
          <Fragment key={id}>
            {group !== panels[index - 1]?.group && <p className="nav-group">{group}</p>}
            <Link
              href={pathOf(id)}
              className="nav-link"
              title={title}
              aria-current={id === current ? 'page' : undefined}
              onClick={onFollow}
            >
              <Icon name={icon} />
              <span className="nav-label">{title}</span>
            </Link>
          </Fragment>
        ))}
      </nav>
      <div className="nav-foot">
        <ServiceState />
        <ThemeSwitch />
      </div>
    </>
  )
}

const WORDS: Readonly<Record<ConnectionState, string>> = {
  up: 'Ready',
  starting: 'Starting',
  down: 'Not available',
  silent: 'No answer',
  refused: 'Key refused',
  unreachable: 'Stopped',
}

function ServiceState(): ReactElement {
  const { state, embedded } = useStore(connection)
  return (
    <p className="service" data-state={state}>
      <span className="service-dot" aria-hidden="true" />
      <span className="nav-label">
        {embedded === false ? 'Your service' : 'Local service'}
        <span className="service-word">{WORDS[state]}</span>
      </span>
    </p>
  )
}
