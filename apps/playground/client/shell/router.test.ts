import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { PANEL_IDS } from '../../shared/api.ts'

interface Entry {
  readonly kind: 'push' | 'replace'
  readonly path: string
}

let entries: Entry[]
let popstate: (() => void) | undefined

/** Puts the page at an address, before its router reads it. */
function open(address: string): void {
  const { pathname, search } = new URL(address, 'http://127.0.0.1:5173')
  vi.stubGlobal('location', { pathname, search })
}

async function load(address: string): Promise<typeof import('./router.tsx')> {
  open(address)
  const router = await import('./router.tsx')
  router.followHistory()
  return router
}

beforeEach(() => {
  vi.resetModules()
  entries = []
  popstate = undefined
  const note =
    (kind: Entry['kind']) =>
    (_state: unknown, _title: string, path: string): void => {
      entries.push({ kind, path })
      open(path)
    }
  vi.stubGlobal('history', { pushState: note('push'), replaceState: note('replace') })
  vi.stubGlobal('addEventListener', (name: string, listener: () => void) => {
    if (name === 'popstate') popstate = listener
  })
})
afterEach(() => {
  vi.unstubAllGlobals()
})

describe('the first route', () => {
  test('the first route of the bare address is Speak', async () => {
    const { route } = await load('/')
    expect(route.get().panel).toBe('speak')
  })

  test.each(PANEL_IDS)('of /%s is that panel', async (id) => {
    const { route } = await load(`/${id}`)
    expect(route.get().panel).toBe(id)
  })

  test.each(['/nothing', '/speak/', '/Speak', '/toString'])('of %s is no panel', async (path) => {
    const { route } = await load(path)
    expect(route.get().panel).toBeUndefined()
  })

  test('the first route has the decoded query', async () => {
    const { route } = await load('/transcribe?voice=a%20b%26c&tab=code')
    expect(Object.fromEntries(route.get().query)).toEqual({ voice: 'a b&c', tab: 'code' })
  })
})

test('an address of a panel has a query only if there is one, and its values are encoded', async () => {
  const { pathOf } = await load('/')
  expect(pathOf('round-trip')).toBe('/round-trip')
  expect(pathOf('speak', {})).toBe('/speak')
  const path = pathOf('speak', { voice: 'a&b=c d#é' })
  expect(new URL(path, 'http://a').searchParams.get('voice')).toBe('a&b=c d#é')
})

describe('navigation', () => {
  test('adds an entry to the history and changes the route', async () => {
    const { navigate, route } = await load('/speak')
    const listener = vi.fn<() => void>()
    route.subscribe(listener)
    navigate('/files?page=2')
    expect(entries).toEqual([{ kind: 'push', path: '/files?page=2' }])
    expect([route.get().panel, route.get().query.get('page')]).toEqual(['files', '2'])
    expect(listener).toHaveBeenCalledOnce()
  })

  test('can replace the entry', async () => {
    const { navigate } = await load('/speak')
    navigate('/speak?tab=code', { replace: true })
    expect(entries).toEqual([{ kind: 'replace', path: '/speak?tab=code' }])
  })

  test('to the same address does nothing', async () => {
    const { navigate, route } = await load('/speak?tab=code')
    const before = route.get()
    navigate('/speak?tab=code')
    expect(entries).toEqual([])
    expect(route.get()).toBe(before)
  })

  test("by the browser's own buttons changes the route", async () => {
    const { route } = await load('/speak')
    open('/models')
    popstate?.()
    expect(route.get().panel).toBe('models')
  })
})
