import { act, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { ReactElement } from 'react'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { PanelId } from '../../shared/api.ts'
import { App, applyStoredTheme, ConnectionBanner, PanelHost, panels, ThemeSwitch } from './app.tsx'
import { readStored } from '../lib/store.ts'
import { FakeService } from '../test/fake-service.ts'
import { announced, button, namesOf } from '../test/names.ts'
import { renderPanel } from '../test/render-panel.tsx'
import { connection } from './connection.ts'
import { addStop, listenForEscape, usePanel, useRun, useStop } from './panel-context.ts'
import { followHistory, Link, navigate, route } from './router.tsx'
import { PanelFrame } from './panel-frame.tsx'

const user = userEvent.setup({ delay: null })
listenForEscape()
followHistory()

const press = (key: string, more: KeyboardEventInit = {}): boolean => fireEvent.keyDown(document.body, { key, ...more })

describe('the keys', () => {
  const run = vi.fn<() => void>()
  const stop = vi.fn<() => void>()
  beforeEach(() => {
    run.mockClear()
    stop.mockClear()
  })
  function Keys({ active = true, dialog = false }): ReactElement {
    useRun(active, run)
    useStop(active, stop)
    return <dialog open={dialog} />
  }

  test.each([
    ['Ctrl+Enter', { ctrlKey: true }, 1],
    ['Cmd+Enter', { metaKey: true }, 1],
    ['Enter', {}, 0],
    ['Shift+Enter', { shiftKey: true }, 0],
    ['a held Ctrl+Enter', { ctrlKey: true, repeat: true }, 0],
  ])('%s runs a panel %j: %i times', (_name, more, times) => {
    render(<Keys />)
    press('Enter', more)
    expect(run).toHaveBeenCalledTimes(times)
  })

  test('Ctrl+Enter adds no line break, and does nothing while nothing can run', () => {
    const { rerender } = render(<Keys />)
    expect(press('Enter', { ctrlKey: true })).toBe(false)
    rerender(<Keys active={false} />)
    expect(press('Enter', { ctrlKey: true })).toBe(true)
    expect(run).toHaveBeenCalledTimes(1)
  })

  test('Escape stops what runs, everywhere in the page, and nothing after its end', () => {
    const other = vi.fn<() => void>()
    const remove = addStop(other)
    const { unmount } = render(<Keys />)
    expect(press('Escape')).toBe(false)
    expect([stop.mock.calls.length, other.mock.calls.length]).toEqual([1, 1])
    remove()
    unmount()
    expect(press('Escape')).toBe(true)
    expect([stop.mock.calls.length, other.mock.calls.length]).toEqual([1, 1])
  })

  test('a dialog in front takes the keys', () => {
    render(<Keys dialog />)
    press('Escape')
    press('Enter', { ctrlKey: true })
    expect([run.mock.calls.length, stop.mock.calls.length]).toEqual([0, 0])
  })

  test('a key calls the latest function, not the one of the first render', () => {
    const calls: number[] = []
    function Numbered({ number }: { readonly number: number }): ReactElement {
      useRun(true, () => calls.push(number))
      return <p>{number}</p>
    }
    const { rerender } = render(<Numbered number={1} />)
    rerender(<Numbered number={2} />)
    press('Enter', { ctrlKey: true })
    expect(calls).toEqual([2])
  })
})

describe('a link', () => {
  test('a link opens a panel without loading the page', async () => {
    render(<Link href="/files?name=a">Files</Link>)
    await user.click(screen.getByRole('link', { name: 'Files' }))
    expect(route.get().panel).toBe('files')
    expect(location.pathname + location.search).toBe('/files?name=a')
  })

  test.each(['ctrlKey', 'metaKey', 'shiftKey', 'altKey'])('with %s is left to the browser', (modifier) => {
    render(<Link href="/files">Files</Link>)
    expect(fireEvent.click(screen.getByRole('link'), { [modifier]: true })).toBe(true)
    expect(route.get().panel).toBe('speak')
  })

  test('a link of another button of the mouse, or that its owner prevents, is not followed', () => {
    render(
      <Link href="/files" onClick={(event) => event.preventDefault()}>
        Files
      </Link>,
    )
    fireEvent.click(screen.getByRole('link'))
    fireEvent.click(screen.getByRole('link'), { button: 1 })
    expect(route.get().panel).toBe('speak')
  })
})

describe('the banner of the connection', () => {
  test('the banner of the connection is there only while the service is not', () => {
    new FakeService().install()
    render(<ConnectionBanner />)
    expect(announced()).toBe('')
    act(() => connection.set({ ...connection.get(), state: 'down' }))
    expect(announced()).toMatch(/^The service does not answer\. The page tries to reach it again\./)
    act(() => connection.set({ ...connection.get(), state: 'unreachable' }))
    expect(announced()).toMatch(/^The playground has stopped\. Start it again with npx -y pnpm@12 playground/)
    act(() => connection.set({ ...connection.get(), state: 'up' }))
    expect(announced()).toBe('')
  })

  test('the banner of the connection asks for a restart by its button, once at a time, and goes when the service is back', async () => {
    const service = new FakeService().install()
    const held = service.hold('POST /status')
    connection.set({ state: 'down', embedded: true, epoch: 0 })
    render(<ConnectionBanner />)
    await user.click(button('Retry'))
    expect(button('Retry').disabled).toBe(true)
    await act(async () => held.give(Response.json({ service: 'up', embedded: true })))
    await waitFor(() => expect(announced()).toBe(''))
    expect(connection.get().epoch).toBe(1)
  })

  test('the banner of the connection stays when the restart fails, and can be pressed again', async () => {
    const service = new FakeService().install()
    service.answer('POST /status', new TypeError('fetch failed'))
    connection.set({ state: 'down', embedded: true, epoch: 0 })
    render(<ConnectionBanner />)
    await user.click(button('Retry'))
    await waitFor(() => expect(announced()).toMatch(/^The playground has stopped/))
    expect(button('Retry').disabled).toBe(false)
  })
})

describe('the theme', () => {
  const theme = (): string | undefined => document.documentElement.dataset['theme']

  test('the theme is chosen by a radio button, at once, and is there after a reload', async () => {
    render(<ThemeSwitch />)
    expect([theme(), screen.getByRole<HTMLInputElement>('radio', { name: 'System' }).checked]).toEqual(['system', true])
    await user.click(screen.getByRole('radio', { name: 'Dark' }))
    expect([theme(), readStored('theme', 'system')]).toEqual(['dark', 'dark'])
    document.documentElement.dataset['theme'] = ''
    applyStoredTheme()
    expect(theme()).toBe('dark')
  })
})

describe('the frame of a panel', () => {
  const snippets = (): [] => []
  const Use = (): ReactElement => (
    <PanelFrame title="Speak" about="About it." settings={<p>Voice and model</p>} code={snippets}>
      <input aria-label="Draft" />
    </PanelFrame>
  )

  test('the frame of a panel opens the tab that the address names, and names the tab that is opened', async () => {
    renderPanel(Use, 'speak', { path: '/speak?tab=inspector' })
    expect(screen.getByRole('tab', { selected: true }).textContent).toBe('Inspector')
    expect(screen.getByText('No request yet')).toBeDefined()
    await user.click(screen.getByRole('tab', { name: 'Speak' }))
    expect(location.pathname + location.search).toBe('/speak')
    expect(screen.getByRole('tabpanel').querySelector('input')).not.toBeNull()
  })

  test('the frame of a panel opens its first tab for an unknown one', () => {
    renderPanel(Use, 'speak', { path: '/speak?tab=nothing' })
    expect(screen.getByRole('tab', { selected: true }).textContent).toBe('Speak')
  })

  test('the frame of a panel keeps what was typed while another tab is open', async () => {
    renderPanel(Use, 'speak')
    await user.type(screen.getByLabelText('Draft'), 'Hello')
    await user.click(screen.getByRole('tab', { name: /Inspector/ }))
    await user.click(screen.getByRole('tab', { name: 'Speak' }))
    expect(screen.getByLabelText<HTMLInputElement>('Draft').value).toBe('Hello')
  })

  test('the frame of a panel stays on its own tab while another panel is on the screen', () => {
    const { show } = renderPanel(Use, 'speak', { path: '/speak?tab=inspector' })
    show(false)
    act(() => navigate('/files?tab=code'))
    expect(screen.getByRole('tab', { selected: true }).textContent).toBe('Inspector')
  })

  test('the frame of a panel without code has no tab for it', () => {
    renderPanel(
      () => (
        <PanelFrame title="Integrations" about="It.">
          {null}
        </PanelFrame>
      ),
      'integrations',
    )
    expect(namesOf('tab')).toEqual(['Integrations', 'Inspector'])
  })

  test('the frame of a panel opens its settings by a button on a narrow screen', async () => {
    renderPanel(Use, 'speak')
    expect(button('Settings').getAttribute('aria-expanded')).toBe('false')
    await user.click(button('Settings'))
    expect(button('Settings').getAttribute('aria-expanded')).toBe('true')
    expect(screen.getByRole('complementary', { name: 'Settings' }).textContent).toContain('Voice and model')
  })
})

describe('the host of a panel', () => {
  const host = (load: () => Promise<{ Panel: () => ReactElement }>): void => {
    const panel = { id: 'files', title: 'Files', icon: 'files', group: 'Manage', load } as const
    render(<PanelHost panel={panel} active />)
  }

  test('the host of a panel says that the panel is opening, and gives it a client and a log', async () => {
    host(async () => ({
      Panel: () => <p>{`Here is ${usePanel().id} with ${usePanel().log.get().length} requests`}</p>,
    }))
    expect(announced()).toBe('Opening Files …')
    expect(await screen.findByText('Here is files with 0 requests')).toBeDefined()
  })

  test('the host of a panel offers a reload when the code cannot be loaded', async () => {
    host(async () => {
      throw new TypeError('Failed to fetch dynamically imported module')
    })
    expect((await screen.findByRole('alert')).textContent).toMatch(/^Files cannot be shown\./)
    expect(button('Reload the page')).toBeDefined()
  })

  test('the host of a panel loads the code again when the connection is back', async () => {
    let isOffline = true
    host(async () => {
      if (isOffline) throw new TypeError('Failed to fetch dynamically imported module')
      return { Panel: () => <p>Here it is</p> }
    })
    await screen.findByRole('alert')
    isOffline = false
    act(() => connection.set({ ...connection.get(), epoch: connection.get().epoch + 1 }))
    expect(await screen.findByText('Here it is')).toBeDefined()
  })

  test('the host of a panel survives a mistake of the panel', async () => {
    const logged = vi.spyOn(console, 'error').mockReturnValue()
    host(async () => ({
      Panel: () => {
        throw new Error('a mistake')
      },
    }))
    expect((await screen.findByRole('alert')).textContent).toMatch(/^Files cannot be shown\./)
    expect(logged).toHaveBeenCalled()
  })

  test('the host of a panel is needed for the context of a panel', () => {
    vi.spyOn(console, 'error').mockReturnValue()
    const Outside = (): ReactElement => <p>{usePanel().id}</p>
    expect(() => render(<Outside />)).toThrow('usePanel() works inside of a panel only')
  })
})

describe('the page', () => {
  beforeEach(() => {
    new FakeService().json('GET /v1/models', { object: 'list', data: [] }).install()
  })
  const current = (): string[] => screen.queryAllByRole('link', { current: 'page' }).map((link) => link.textContent)

  test('the page has a link for every panel, in groups, and marks the open one', async () => {
    navigate('/models')
    render(<App />)
    const names = namesOf('link', screen.getByRole('navigation', { name: 'Panels' }))
    expect(names).toEqual(panels.map(({ title }) => title))
    expect(current()).toEqual(['Models'])
    expect(await screen.findByRole('heading', { name: 'Models' })).toBeDefined()
    expect(document.title).toBe('Models · svc-audio')
  })

  test('the page keeps an opened panel while another is on the screen', async () => {
    navigate('/models')
    render(<App />)
    const heading = await screen.findByRole('heading', { name: 'Models' })
    await user.click(screen.getByRole('link', { name: 'Files' }))
    expect(await screen.findByRole('heading', { name: 'Files' })).toBeDefined()
    expect([heading.isConnected, heading.closest('.panel-host')?.hasAttribute('hidden')]).toEqual([true, true])
    expect(document.title).toBe('Files · svc-audio')
  })

  test('the page follows the buttons of the browser', async () => {
    navigate('/models')
    render(<App />)
    await screen.findByRole('heading', { name: 'Models' })
    act(() => {
      history.pushState(null, '', '/files')
      dispatchEvent(new PopStateEvent('popstate'))
    })
    expect(current()).toEqual(['Files'])
    expect(await screen.findByRole('heading', { name: 'Files' })).toBeDefined()
  })

  test('the page says that there is nothing at an unknown address, and leads to the first panel', async () => {
    navigate('/nothing')
    render(<App />)
    expect(screen.getByText('There is no page at this address.')).toBeDefined()
    expect([current(), document.title]).toEqual([[], 'svc-audio playground'])
    await user.click(screen.getByRole('link', { name: 'Open Speak' }))
    expect(current()).toEqual(['Speak'])
    expect(await screen.findByRole('heading', { name: 'Speak' })).toBeDefined()
  })

  test('the page has its navigation behind a button on a phone, which closes when a panel is chosen', async () => {
    navigate('/models')
    render(<App />)
    await user.click(button('Menu'))
    const menu = screen.getByRole('dialog', { name: 'Menu' })
    const link = Array.from(menu.querySelectorAll('a')).find(({ textContent }) => textContent === 'Files')
    if (link === undefined) throw new Error('The menu has no link to the files')
    await user.click(link)
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(route.get().panel satisfies PanelId | undefined).toBe('files')
    await screen.findByRole('heading', { name: 'Files' })
  })

  test.each([
    ['up', true, 'Local service Ready'],
    ['starting', true, 'Local service Starting'],
    ['down', false, 'Your service Not available'],
    ['silent', true, 'Local service No response'],
    ['refused', false, 'Your service Key refused'],
    ['unreachable', undefined, 'Local service Stopped'],
    ['offline', undefined, 'Local service Offline'],
  ] as const)('names the service that is %s (embedded: %s)', async (state, embedded, text) => {
    navigate('/models')
    connection.set({ state, embedded, epoch: 0 })
    const { container } = render(<App />)
    expect(container.querySelector('.service')?.textContent).toBe(text)
    await screen.findByRole('heading', { name: 'Models' })
  })
})
