import { Component, type ReactElement, type ReactNode, useEffect, useMemo, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Loading } from '../components/states.tsx'
import { ExchangeLog } from '../inspector/exchange.ts'
import { createPanelClient } from '../lib/client.ts'
import { useStore } from '../lib/store.ts'
import type { PanelDefinition, PanelModule } from '../panels/registry.ts'
import { checkConnection, connection } from './connection.ts'
import { type PanelContext, PanelProvider } from './panel-context.ts'

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
