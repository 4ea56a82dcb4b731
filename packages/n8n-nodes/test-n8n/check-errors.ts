import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { INode } from 'n8n-workflow'
import type { Browser, Page } from 'playwright-core'
import { FORM_MISTAKES } from '../test/support/form-mistakes.ts'
import { type EditorOptions, openEditor, THEMES } from './check-editor.ts'
import { type FailingService, startFailingService } from './failures.ts'
import { chain, node, SVC_AUDIO } from './nodes.ts'

const PAGE = join(import.meta.dirname, '../docs/errors.md')

/** Errors of which a picture is taken. */
const PICTURED: ReadonlySet<string> = new Set(['an empty field', 'status 401', 'ECONNREFUSED'])

/** An error that the editor is to show. */
interface ShownError {
  /** Its row of the page. */
  readonly what: string
  readonly node: INode
}

/**
 * The editor shows the headline and the description of `docs/errors.md`: each node is opened and executed by a click.
 * Every mistake in the form, and every failure that a service on this machine can be made to show.
 */
export async function checkErrors(browser: Browser, options: EditorOptions): Promise<string[]> {
  const { rest, screenshots } = options
  const rows = await documentedRows()
  const faults: string[] = []
  const described = [...rows].map(([what, [, description]]) => [what, description] as const)
  const server = await startFailingService(new Map(described))
  try {
    const shown = await shownErrors(options, server)
    const start = node('Start', 'manualTrigger', {}, { position: [-300, 0] })
    const nodes = [start, ...shown.map((one) => one.node)]
    const connections = chain('Start', 'none')
    connections['Start'] = { main: [shown.map((one) => ({ node: one.node.name, type: 'main', index: 0 }))] }
    const id = await rest.addWorkflow({ name: 'Errors', nodes, connections })
    for (const theme of THEMES) {
      const [context, page] = await openEditor(browser, rest, theme, { width: 1600, height: 1000 })
      try {
        await page.goto(`/workflow/${id}`)
        await page.getByTestId('canvas-node').first().waitFor()
        await page.getByTestId('zoom-to-fit').click()
        for (const { what, node: own } of shown) {
          if (theme === 'dark' && !PICTURED.has(what)) continue
          const found = await failure(page, own.name)
          faults.push(...differences(what, found, rows))
          const picture = join(screenshots, `error-${what.replaceAll(' ', '-')}-${theme}.png`)
          if (PICTURED.has(what)) await page.screenshot({ path: picture, animations: 'disabled' })
          await page.keyboard.press('Escape')
          await page.getByTestId('node-parameters').waitFor({ state: 'hidden' })
        }
      } finally {
        await context.close()
      }
    }
    if (faults.length > 0) throw new Error(faults.join('\n'))
    return [`errors: the editor shows ${shown.length} errors as docs/errors.md has them`]
  } finally {
    await server.close()
  }
}

/** Headline and description of each row of the page. */
async function documentedRows(): Promise<Map<string, readonly [headline: string, description: string]>> {
  const page = await readFile(PAGE, 'utf8')
  const rows = page.split('\n').filter((line) => line.startsWith('| '))
  return new Map(
    rows.map((line) => {
      const [what = '', headline = '', description = ''] = line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim())
      return [what, [headline, description]]
    }),
  )
}

async function shownErrors({ rest, credential }: EditorOptions, server: FailingService): Promise<ShownError[]> {
  const shown: ShownError[] = []
  const add = (what: string, parameters: INode['parameters'], id: string, name: string): void => {
    const position: INode['position'] = [Math.floor(shown.length / 8) * 260, (shown.length % 8) * 160]
    const credentials = { svcAudioApi: { id, name } }
    shown.push({ what, node: node(what, SVC_AUDIO, parameters, { credentials, position }) })
  }
  for (const [what, parameters] of FORM_MISTAKES) add(what, parameters, credential, 'Svc Audio API')
  for (const { what, parameters, ...data } of server.failures) {
    const id = await rest.addCredential(what, 'svcAudioApi', data)
    add(what, parameters, id, what)
  }
  return shown
}

/** Opens a node, executes it, and reads what the editor shows. */
async function failure(page: Page, name: string): Promise<readonly [headline: string, description: string]> {
  await page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`).dblclick({ force: true })
  await page.getByTestId('node-parameters').waitFor()
  await page.getByTestId('node-execute-button').first().click()
  const headline = page.getByTestId('node-error-message').first()
  await headline.waitFor()
  const description = page.getByTestId('node-error-description').first()
  return [textOf(await headline.textContent()), textOf(await description.textContent())]
}

function textOf(text: string | null): string {
  return (text ?? '').replaceAll(/\s+/g, ' ').trim()
}

/** What the editor shows in other words than the page. */
function differences(
  what: string,
  [headline, description]: readonly [string, string],
  rows: Awaited<ReturnType<typeof documentedRows>>,
): string[] {
  const [ownHeadline, ownDescription] = rows.get(what) ?? ['no row', '']
  const shown = headline.replace(/ \[item 0\]$/, '')
  return [
    ...(shown === ownHeadline ? [] : [`The editor shows "${shown}" for ${what}, the page has "${ownHeadline}"`]),
    ...(description === ownDescription
      ? []
      : [`The editor describes ${what} as "${description}", the page as "${ownDescription}"`]),
  ]
}
