import type { AnchorHTMLAttributes, MouseEvent, ReactElement } from 'react'
import { isPanelId, type PanelId } from '../../shared/api.ts'
import { createStore, type Store } from '../lib/store.ts'

/** A place in the page, as its address names it: `/speak?tab=code`. */
export interface Route {
  /** `undefined` for an unknown path. */
  readonly panel: PanelId | undefined
  /** The query. Panels may use it for deep links, e.g. `voice`. */
  readonly query: URLSearchParams
}

/** The panel of the address `/`. */
const HOME: PanelId = 'speak'

/** The current route. Links, `navigate()` and the browser's buttons change it. */
export const route: Store<Route> = createStore<Route>({ panel: HOME, query: new URLSearchParams() })

/** Reads the address, and follows the browser's own navigation. Call once. */
export function followHistory(): void {
  route.set(read())
  addEventListener('popstate', () => route.set(read()))
}

/** Returns the address of a panel. */
export function pathOf(panel: PanelId, query: Readonly<Record<string, string>> = {}): string {
  const text = new URLSearchParams(query).toString()
  return text === '' ? `/${panel}` : `/${panel}?${text}`
}

/** Opens an address of the page. @param replace Whether it replaces the current entry of the history. */
export function navigate(path: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (path === location.pathname + location.search) return
  if (replace) history.replaceState(null, '', path)
  else history.pushState(null, '', path)
  route.set(read())
}

/** Changes parameters of the address without a new entry in the history. `undefined` removes one. */
export function changeQuery(panel: PanelId, change: Readonly<Record<string, string | undefined>>): void {
  const fields = Object.entries({ ...Object.fromEntries(route.get().query), ...change })
  const query = Object.fromEntries(fields.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
  navigate(pathOf(panel, query), { replace: true })
}

function read(): Route {
  const name = location.pathname.slice(1)
  const panel = name === '' ? HOME : isPanelId(name) ? name : undefined
  return { panel, query: new URLSearchParams(location.search) }
}

/** A link inside the page. With a modifier key, the browser opens it in a new tab as usual. */
export function Link({
  href,
  onClick,
  children,
  ...rest
}: AnchorHTMLAttributes<HTMLAnchorElement> & { readonly href: string }): ReactElement {
  const follow = (event: MouseEvent<HTMLAnchorElement>): void => {
    onClick?.(event)
    if (event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    navigate(href)
  }
  return (
    <a href={href} onClick={follow} {...rest}>
      {children}
    </a>
  )
}
