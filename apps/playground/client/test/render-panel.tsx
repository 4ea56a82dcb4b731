import { render } from '@testing-library/react'
import { userEvent, type UserEvent } from '@testing-library/user-event'
import type { ComponentType, ReactElement } from 'react'
import type { PanelId } from '../../shared/api.ts'
import { ExchangeLog } from '../inspector/exchange.ts'
import { createPanelClient } from '../lib/client.ts'
import { PanelProvider } from '../shell/panel-context.ts'
import { navigate } from '../shell/router.tsx'
import { FakeService } from './fake-service.ts'

/** A rendered panel, its user and its service. */
export interface Stage {
  readonly user: UserEvent
  readonly service: FakeService
  readonly log: ExchangeLog
  /** Shows or hides the panel, as the navigation does. */
  readonly show: (active: boolean) => void
  readonly unmount: () => void
}

/** Options of {@link renderPanel}. */
export interface StageOptions {
  readonly service?: FakeService
  /** @default the panel's own */
  readonly path?: string
}

/** Renders a panel as the shell does, with a client of its own. */
export function renderPanel(Panel: ComponentType, id: PanelId, options: StageOptions = {}): Stage {
  const { service = new FakeService(), path = `/${id}` } = options
  service.install()
  navigate(path, { replace: true })
  const log = new ExchangeLog()
  const client = createPanelClient(log)
  const page = (active: boolean): ReactElement => (
    <PanelProvider value={{ id, active, client, log }}>
      <Panel />
    </PanelProvider>
  )
  const { rerender, unmount } = render(page(true))
  return { user: userEvent.setup({ delay: null }), service, log, show: (active) => rerender(page(active)), unmount }
}

/** Renders a part of a panel, e.g. one that uses its client. */
export function renderPart(part: ReactElement, options: StageOptions = {}): Stage {
  return renderPanel(() => part, 'speak', options)
}
