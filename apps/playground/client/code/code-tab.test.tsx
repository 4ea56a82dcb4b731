import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { announced, namesOf } from '../test/names.ts'
import { renderPart, type Stage } from '../test/render-panel.tsx'
import { CodeBlock, CodeTab } from './code-tab.tsx'
import { coreSnippet, curlSnippet, type Snippet } from './snippet.ts'
import { n8nSnippet } from './n8n-workflow.ts'
import { callJson, expressSnippet } from './servers.ts'

const SNIPPETS: readonly Snippet[] = [
  coreSnippet({ file: 'speak.mts', code: "await audio.speech.create({ input: 'Hi' })" }),
  curlSnippet('speak.sh', 'curl --version\n'),
  expressSnippet({
    routes: 'app.post("/")',
    call: callJson('speak', { text: 'a  b' }),
    environment: ['export PUBLIC_URL=https://app.example.com'],
  }),
  n8nSnippet('Speak', []),
]

const open = (snippets: readonly Snippet[] = SNIPPETS): Stage => renderPart(<CodeTab snippets={snippets} />)
const tabs = (): HTMLElement => screen.getByRole('tablist', { name: 'Package' })
const selected = (): string => screen.getByRole('tab', { selected: true }).textContent
const steps = (): string[] => screen.getAllByRole('listitem').map(({ textContent }) => textContent)

beforeEach(() => localStorage.clear())

describe('the packages', () => {
  test('the packages are tabs, the first is open, and each names its content', () => {
    open()
    expect(namesOf('tab', tabs())).toEqual(['TypeScript', 'curl', 'Express', 'n8n'])
    expect(selected()).toBe('TypeScript')
    const content = screen.getByRole('tabpanel', { name: 'TypeScript' })
    expect(within(content).getByRole('region', { name: 'Code of speak.mts' }).textContent).toContain("input: 'Hi'")
  })

  test('the packages are chosen with the arrow keys, which go round, and with Home and End', async () => {
    const { user } = open()
    await user.click(screen.getByRole('tab', { name: 'curl' }))
    await user.keyboard('{ArrowRight}')
    expect([selected(), document.activeElement?.textContent]).toEqual(['Express', 'Express'])
    await user.keyboard('{End}')
    expect(selected()).toBe('n8n')
    await user.keyboard('{ArrowRight}')
    expect(selected()).toBe('TypeScript')
    await user.keyboard('{ArrowLeft}')
    expect(selected()).toBe('n8n')
    await user.keyboard('{Home}')
    expect(selected()).toBe('TypeScript')
  })

  test('keep the choice for every panel, and the first opens where the chosen one has no code', async () => {
    const { user, unmount } = open()
    await user.click(screen.getByRole('tab', { name: 'n8n' }))
    unmount()
    const again = open()
    expect(selected()).toBe('n8n')
    again.unmount()
    open(SNIPPETS.slice(0, 2))
    expect(selected()).toBe('TypeScript')
  })

  test('the packages without code leave a sentence', () => {
    open([])
    expect(screen.getByText('There is no code for this yet.')).toBeDefined()
    expect(screen.queryByRole('tablist')).toBeNull()
  })
})

describe('the steps', () => {
  test('install, set the environment, run and call, each with its button', async () => {
    const { user } = open()
    await user.click(screen.getByRole('tab', { name: 'Express' }))
    const titles = ['Install', 'Set the environment', 'Run', 'Call']
    expect(steps().map((text, index) => text.startsWith(titles[index] ?? '?'))).toEqual([true, true, true, true])
    expect(steps()[1]).toContain(
      'export SVC_AUDIO_BASE_URL=http://127.0.0.1:5173/api\nexport SVC_AUDIO_API_KEY=playground\nexport PUBLIC_URL=https://app.example.com',
    )
    const copies = titles.map((title) => `Copy ${title}`)
    expect(screen.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['Copy server.mts', ...copies])
  })

  test('the steps of a script are without an installation and a call', async () => {
    const { user } = open()
    await user.click(screen.getByRole('tab', { name: 'curl' }))
    expect(steps()).toHaveLength(2)
    expect(steps()[1]).toContain('sh speak.sh')
  })

  test('the steps of n8n are sentences, which are not copied', async () => {
    const { user } = open()
    await user.click(screen.getByRole('tab', { name: 'n8n' }))
    expect(steps()).toEqual([
      'In n8n, open Settings, Community nodes, and install n8n-nodes-svc-audio.',
      'Add the credential Svc Audio API: the address of the service and your key.',
      'Paste the workflow onto the canvas. Choose the credential in each Svc Audio node.',
    ])
    expect(screen.getAllByRole('button')).toHaveLength(1)
  })

  test('the steps are copied as they are, with every space, and screen readers hear it', async () => {
    const { user } = open()
    const write = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
    await user.click(screen.getByRole('tab', { name: 'Express' }))
    await user.click(screen.getByRole('button', { name: 'Copy Call' }))
    expect(write).toHaveBeenCalledExactlyOnceWith(`curl --json '{"text":"a  b"}' localhost:3000/speak`)
    await waitFor(() => expect(announced()).toContain('Copied Call.'))
    expect(steps()[3]).toContain(`'{"text":"a  b"}'`)
  })
})

describe('a block of code', () => {
  const code = "const a = 'b' // c\n\nnew D()\n"

  test('a block of code is copied whole, with its last line break', async () => {
    const { user } = renderPart(<CodeBlock code={code} file="a.ts" />)
    const write = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
    await user.click(screen.getByRole('button', { name: 'Copy a.ts' }))
    expect(write).toHaveBeenCalledExactlyOnceWith(code)
    await waitFor(() => expect(announced()).toContain('Copied a.ts.'))
  })

  test('a block of code is reached by the keyboard, which scrolls long lines', async () => {
    const { user } = renderPart(<CodeBlock code={code} file="a.ts" />)
    await user.tab()
    await user.tab()
    expect(document.activeElement).toBe(screen.getByRole('region', { name: 'Code of a.ts' }))
  })

  test('a block of code shows strings, comments and keywords apart, and no character is lost', () => {
    renderPart(<CodeBlock code={code} file="a.ts" />)
    const region = screen.getByRole('region')
    expect(region.textContent).toBe(code)
    const pieces = [...region.querySelectorAll('[data-token]:not([data-token="plain"])')]
    expect(pieces.map((piece) => [piece.getAttribute('data-token'), piece.textContent])).toEqual([
      ['keyword', 'const'],
      ['string', "'b'"],
      ['comment', '// c'],
      ['keyword', 'new'],
    ])
  })
})
