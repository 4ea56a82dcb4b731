import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startService } from '@svc-audio/service'
import { LOCALHOST_CERTIFICATE } from '@svc-audio/kit/hosts'
import type { INode, INodeParameters } from 'n8n-workflow'
import type { Browser, Page } from 'playwright-core'
import { FORM_MISTAKES, speech } from '../test/support/parameters.ts'
import { refusals, REFUSING, startSite, withoutIds } from '../test/support/refusals.ts'
import { type EditorOptions, openEditor, THEMES } from './check-editor.ts'
import { type LocalServer, startLocalServer } from './local-server.ts'
import { chain, node, SVC_AUDIO } from './nodes.ts'

const PAGE = join(import.meta.dirname, '../docs/errors.md')

/** Errors of which a picture is taken. */
const PICTURED: ReadonlySet<string> = new Set([
  'an empty field',
  'an unknown voice',
  'a URL that refuses',
  'ECONNREFUSED',
])

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
  await using stack = new AsyncDisposableStack()
  const server = await startFailingService(new Map(described))
  const real = await startRefusingService(stack)
  try {
    const shown = await shownErrors(options, server, real)
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
        .map((cell) => cell.trim().replaceAll(String.raw`\<`, '<'))
      return [what, [headline, description]]
    }),
  )
}

async function shownErrors(
  { rest, credential }: EditorOptions,
  server: FailingService,
  real: readonly Failure[],
): Promise<ShownError[]> {
  const shown: ShownError[] = []
  const add = (what: string, parameters: INode['parameters'], id: string, name: string): void => {
    const position: INode['position'] = [Math.floor(shown.length / 8) * 260, (shown.length % 8) * 160]
    const credentials = { svcAudioApi: { id, name } }
    shown.push({ what, node: node(what, SVC_AUDIO, parameters, { credentials, position }) })
  }
  for (const [what, parameters] of FORM_MISTAKES) add(what, parameters, credential, 'Svc Audio API')
  for (const { what, parameters, ...data } of [...real, ...server.failures]) {
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
  const described = withoutIds(description)
  return [
    ...(shown === ownHeadline ? [] : [`The editor shows "${shown}" for ${what}, the page has "${ownHeadline}"`]),
    ...(described === ownDescription
      ? []
      : [`The editor describes ${what} as "${described}", the page as "${ownDescription}"`]),
  ]
}

/** A failure of a request, a response or a task, as a row of `docs/errors.md` has it. */
interface Failure {
  /** Its row of the page. */
  readonly what: string
  readonly parameters: INodeParameters
  /** What the credentials hold. */
  readonly apiKey: string
  readonly baseUrl: string
}

/** How a service fails, by the row of the page. */
type Answer = (response: ServerResponse, path: string) => void

const TASK = { id: 'task-1', object: 'audio.speech', status: 'PROCESSING', created_at: 0, updated_at: 0 }

/** Requests that fail in another way than with a status, or a status and a code. */
const REQUESTS: Readonly<Record<string, Answer>> = {
  'status 400': refused(400, { code: 'invalid_json', message: 'The body is not JSON' }),
  'another response than documented': (response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('Hello'),
  'the audio or transcript was cut': (response) => {
    response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': 10 })
    response.write(Buffer.alloc(9))
    // Node drops bytes that come together with the end of a cut response.
    setTimeout(() => response.socket?.end(), 2000)
  },
  // it never answers
  'the deadline passed': () => {},
  ECONNRESET: (response) => response.destroy(),
}

/** Tasks that are waited for in vain. */
const TASKS: Readonly<Record<string, Answer>> = {
  'a task failed': json({
    ...TASK,
    status: 'FAILED',
    error: { code: 'engine_failed', message: 'The engine is broken' },
  }),
  'a task takes too long': json(TASK),
  'a result has expired': (response, path) =>
    path.endsWith('.wav')
      ? response.writeHead(410).end()
      : json({ ...TASK, status: 'SUCCESS', url: `${path.replace(/\/v1\/.*/, '')}/speech.wav` })(response, path),
}

/** Starts the real service with small limits. @returns The rows of the page that it causes without a file of an item */
async function startRefusingService(stack: AsyncDisposableStack): Promise<Failure[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-audio-refusing-'))
  stack.defer(() => rm(dataDir, { recursive: true, force: true }))
  const key = 'key-of-the-refusing-service'
  const apiKeys = new Map([[key, 'tenant']])
  const service = await startService({ dataDir, port: 0, apiKeys, logLevel: 'silent', ...REFUSING })
  stack.defer(() => service.close())
  const site = await startSite()
  stack.defer(() => site.close())
  return refusals(site.url, 'http://127.0.0.1:1')
    .filter(({ file, service: own, before = 0 }) => file === undefined && own === undefined && before === 0)
    .map(({ what, parameters, apiKey = key, path = '' }) => ({
      what,
      parameters,
      apiKey,
      baseUrl: service.url + path,
    }))
}

/** A service that fails in each of these ways, and the nodes that meet it. */
interface FailingService extends LocalServer {
  readonly failures: readonly Failure[]
}

/** Starts it. @param rows The rows of the page, and their descriptions. */
async function startFailingService(rows: ReadonlyMap<string, string>): Promise<FailingService> {
  const requests: Readonly<Record<string, Answer>> = { ...Object.fromEntries(statuses(rows)), ...REQUESTS }
  const answers: Readonly<Record<string, Answer>> = { ...requests, ...TASKS }
  const server = await startLocalServer((request, response) => {
    const path = request.url ?? '/'
    const what = decodeURIComponent(path.split('/')[1] ?? '')
    answers[what]?.(response, `${server.url}${path}`)
  })
  const secure = await startSelfSigned()
  const apiKey = 'any-key'
  const spoken = speech({ text: 'Hello.', options: { retries: 0, timeout: 60 } })
  const short = { retries: 0, timeout: 1 }
  const waiting = { resource: 'task', operation: 'wait', taskId: 'task-1' }
  const at = (what: string): string => `${server.url}/${encodeURIComponent(what)}`
  const failures: Failure[] = [
    ...Object.keys(requests).map((what) => ({
      what,
      parameters: what === 'the deadline passed' ? { ...spoken, options: short } : spoken,
      apiKey,
      baseUrl: at(what),
    })),
    ...Object.keys(TASKS).map((what) => ({
      what,
      parameters: { ...waiting, options: what === 'a task takes too long' ? short : {} },
      apiKey,
      baseUrl: at(what),
    })),
    { what: 'ECONNREFUSED', parameters: spoken, apiKey, baseUrl: 'http://127.0.0.1:1' },
    { what: 'EPROTO', parameters: spoken, apiKey, baseUrl: server.url.replace('http:', 'https:') },
    { what: 'DEPTH_ZERO_SELF_SIGNED_CERT', parameters: spoken, apiKey, baseUrl: secure.url },
    { what: 'a wrong Base URL', parameters: spoken, apiKey, baseUrl: 'audio.example.com' },
    { what: 'a wrong API Key', parameters: spoken, apiKey: 'two words', baseUrl: server.url },
  ]
  return {
    url: server.url,
    failures,
    async close() {
      await Promise.all([server.close(), secure.close()])
    },
  }
}

/** The rows of a status, and of a status with a code, whose description ends in both. */
function statuses(rows: ReadonlyMap<string, string>): [what: string, answer: Answer][] {
  return [...rows].flatMap(([what, description]): [string, Answer][] => {
    const [, kind] = /^(status|code) \w+$/.exec(what) ?? []
    const [, status, code] = /\(status (\d+)(?:, code (\w+))?\)$/.exec(description) ?? []
    if (kind === undefined || status === undefined) return []
    return [[what, code === undefined ? plain(Number(status)) : refused(Number(status), { code })]]
  })
}

/** A status without a body of the service. */
function plain(status: number): Answer {
  return (response) => response.writeHead(status, { 'content-type': 'text/plain' }).end()
}

/** An error as the interface has it. */
function refused(status: number, error: object): Answer {
  return (response) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
}

function json(body: object): Answer {
  return (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** A server whose certificate nobody has signed. */
async function startSelfSigned(): Promise<LocalServer> {
  const server = createServer(LOCALHOST_CERTIFICATE, (_request, response) => response.end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `https://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
