import type { PureAudioClient } from '@svc-audio/core/pure'
import {
  type Context,
  createContext,
  useCallback,
  useContext,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import type { PanelId } from '../../shared/api.ts'
import type { ExchangeLog } from '../inspector/exchange.ts'
import { useStore } from '../lib/store.ts'
import { changeQuery, route } from './router.tsx'

/** What the shell gives to a panel. */
export interface PanelContext {
  readonly id: PanelId
  /** Whether the panel is on the screen. A hidden panel stays as it is, and may still play or run. */
  readonly active: boolean
  /** The client of this repository. Its requests appear in the panel's inspector. */
  readonly client: PureAudioClient
  readonly log: ExchangeLog
}

/** Provides the {@link PanelContext}. */
export const PanelProvider: Context<PanelContext | undefined> = createContext<PanelContext | undefined>(undefined)

/** The context of the panel that the component is in. */
export function usePanel(): PanelContext {
  const context = useContext(PanelProvider)
  if (context === undefined) throw new Error('usePanel() works inside of a panel only')
  return context
}

const stops = new Set<() => void>()

/** Ends everything that runs or plays in the page. @returns whether anything did */
export function stopAll(): boolean {
  const running = [...stops]
  for (const stop of running) stop()
  return running.length > 0
}

/** While `active`, Escape calls `stop` from anywhere in the page. */
export function useStop(active: boolean, stop: () => void): void {
  const latest = useLatest(stop)
  useEffect(() => {
    if (!active) return undefined
    return addStop(() => latest.current())
  }, [active, latest])
}

/** Adds something that Escape stops. @returns a function that removes it */
export function addStop(stop: () => void): () => void {
  stops.add(stop)
  return () => stops.delete(stop)
}

/** While `active`, Ctrl+Enter or Cmd+Enter calls `run` from anywhere in the page. */
export function useRun(active: boolean, run: () => void): void {
  const latest = useLatest(run)
  useLayoutEffect(() => {
    if (!active) return undefined
    const press = (event: KeyboardEvent): void => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.repeat || isDialogOpen()) return
      event.preventDefault()
      latest.current()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [active, latest])
}

/** Makes Escape stop everything. A dialog in front closes first. Call once. */
export function listenForEscape(): void {
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !isDialogOpen() && stopAll()) event.preventDefault()
  })
}

function isDialogOpen(): boolean {
  return document.querySelector('dialog[open]') !== null
}

/** The value of the last render, for a listener that outlives it. */
export function useLatest<T>(value: T): { readonly current: T } {
  const latest = useRef(value)
  // Before the screen changes: keys do what the screen says, never what it said before.
  useLayoutEffect(() => {
    latest.current = value
  })
  return latest
}

/**
 * What is open in a panel, which a parameter of the address names, e.g. `/tasks?id=…`. It stays open while another panel is
 * on the screen.
 */
export function useSelected(name: string): [string | undefined, (id: string | undefined) => void] {
  const { id: panel, active } = usePanel()
  const { query } = useStore(route)
  const named = query.get(name) ?? undefined
  const [selected, setSelected] = useState(named)
  if (active && named !== undefined && named !== selected) setSelected(named)
  const select = useCallback(
    (id: string | undefined) => {
      // Another panel keeps its own address.
      if (route.get().panel === panel) changeQuery(panel, { [name]: id })
      setSelected(id)
    },
    [panel, name],
  )
  return [selected, select]
}
