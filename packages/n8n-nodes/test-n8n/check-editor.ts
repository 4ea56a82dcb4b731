import { mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { INode, INodeParameters, INodePropertyOptions, INodeType } from 'n8n-workflow'
import { type Browser, type BrowserContext, chromium, type Locator, type Page, selectors } from 'playwright-core'
import { chain, node, SVC_AUDIO } from './nodes.ts'
import { BROWSER_ID, type N8nRest } from './rest.ts'

/** How long one step of the editor may take on a busy machine, in milliseconds. */
const STEP_TIMEOUT = 300_000

/** What users type to find the node. */
const SEARCHES =
  'svc audio, text to speech, text-to-speech, tts, speak, read aloud, narrate, voice clone, mp3, sound, speech to text, asr, whisper, transcribe, recording, meeting, dictation, diarize, captions, srt, audiobook, voicemail, call recording, minutes, interview, closed captions, clone voice, audio to text, voice memo, read out, dub, elevenlabs'.split(
    ', ',
  )

/** What users type where n8n lists the tools of an agent by their names alone, as n8n 2.0 does. */
const NAME_SEARCHES = ['svc audio'] as const

/** The last place in the list of what was found where people still look. */
const LAST_PLACE = 5

/** How long the list may take to follow a word, in milliseconds. */
const SEARCH_DELAY = 500

/** Themes of the editor. */
export const THEMES = ['light', 'dark'] as const

/** Runs in the page: no list of the form is still loading. */
const LISTS_ARE_LOADED =
  `[...document.querySelectorAll('[data-test-id="node-parameters"] input')]` +
  `.every(({ value, placeholder }) => !/^Loading/.test(value) && !/^Loading/.test(placeholder))`

/** What is filled in, so that no picture shows a field that is missing. */
const SAMPLE: INodeParameters = {
  text: 'Good morning. The train leaves at seven.',
  voice: { __rl: true, mode: 'list', value: 'rms', cachedResultName: 'rms' },
  instruction: 'An old man who speaks slowly',
  speakers: {
    speaker: [
      { name: 'Ann', voiceId: { __rl: true, mode: 'list', value: 'slt', cachedResultName: 'slt (en, female)' } },
    ],
  },
  lines: { line: [{ speaker: 'Ann', text: 'Good morning.' }] },
}

/** Space below the last field of a picture, in pixels. */
const MARGIN = 24

/** A part of the page, in pixels. */
type Rectangle = NonNullable<Awaited<ReturnType<Locator['boundingBox']>>>

/** What the check of the editor needs. */
export interface EditorOptions {
  readonly rest: N8nRest
  /** Id of the credential that the nodes use. */
  readonly credential: string
  /** Where screenshots go to. */
  readonly screenshots: string
}

/** Starts Chromium. */
export function startBrowser(executablePath: string): Promise<Browser> {
  // n8n's spelling
  selectors.setTestIdAttribute('data-test-id')
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
}

/** A signed-in editor. */
export async function openEditor(
  browser: Browser,
  rest: N8nRest,
  theme: (typeof THEMES)[number],
  viewport = { width: 1400, height: 1450 },
): Promise<[BrowserContext, Page]> {
  const context = await browser.newContext({ baseURL: rest.url, viewport })
  await context.addCookies([rest.session])
  const stored = { 'n8n-browserId': BROWSER_ID, N8N_THEME: theme }
  await context.addInitScript((entries) => {
    for (const [name, value] of Object.entries(entries)) localStorage.setItem(name, value)
  }, stored)
  const page = await context.newPage()
  page.setDefaultTimeout(STEP_TIMEOUT)
  return [context, page]
}

/** Installs the package as a user does: Settings, Community nodes, Install. */
export async function installInEditor(browser: Browser, rest: N8nRest, name: string): Promise<string> {
  const start = performance.now()
  const [context, page] = await openEditor(browser, rest, 'light')
  try {
    await page.goto('/settings/community-nodes')
    await page
      .getByRole('button', { name: /install/i })
      .first()
      .click()
    await page.locator('input[name="packageNameInput"]').fill(name)
    await page.getByTestId('user-agreement-checkbox').click()
    await page.getByTestId('install-community-package-button').click()
    const installed = page.getByText('2 nodes')
    const refusal = page.getByText(/^Error loading package/)
    await installed
      .or(refusal)
      .first()
      .waitFor()
      .catch(async (cause: unknown) => {
        throw new Error(`The editor shows no installed package: ${await page.innerText('body')}`, { cause })
      })
    if (await refusal.isVisible()) throw new Error((await refusal.textContent()) ?? '')
    return `editor: installed through Settings, Community nodes, in ${((performance.now() - start) / 1000).toFixed(0)} s`
  } finally {
    await context.close()
  }
}

/** What the pictures and the search need beside. */
export interface EditorCheckOptions extends EditorOptions {
  /** Whether n8n finds the tools of an agent by other words than their names. */
  readonly hasToolAliases: boolean
}

/** Finds the node in the picker and among the tools of an agent, and takes a picture of each panel. */
export async function checkEditor(browser: Browser, options: EditorCheckOptions): Promise<string[]> {
  const { rest, credential, screenshots, hasToolAliases } = options
  const toolSearches = hasToolAliases ? SEARCHES : NAME_SEARCHES
  await mkdir(screenshots, { recursive: true })
  const agent = node('Assistant', '@n8n/n8n-nodes-langchain.agent', {}, { typeVersion: 2.2 })
  const start = node('Start', 'manualTrigger', {}, { position: [-300, 0] })
  const nodes = [start, agent]
  const picker = await rest.addWorkflow({ name: 'Picker', nodes, connections: chain('Start', 'Assistant') })
  const panels = panelNodes(credential)
  const gallery = await rest.addWorkflow({ name: 'Panels', nodes: panels, connections: {} })
  const places: string[] = []
  for (const theme of THEMES) {
    const [context, page] = await openEditor(browser, rest, theme)
    try {
      if (theme === 'light') places.push(...(await search(page, `/workflow/${picker}`, { screenshots, toolSearches })))
      await photograph(page, `/workflow/${gallery}`, panels, (name) => join(screenshots, `${name}-${theme}.png`))
    } finally {
      await context.close()
    }
  }
  return [...places, `editor: ${panels.length} panels in light and dark, in ${screenshots}`]
}

/** @returns At which place the node is found by each word */
async function search(
  page: Page,
  path: string,
  { screenshots, toolSearches }: { readonly screenshots: string; readonly toolSearches: readonly string[] },
): Promise<string[]> {
  await page.goto(path)
  await page.getByTestId('canvas-node').first().waitFor()
  await page.getByTestId('node-creator-plus-button').click()
  const nodes = await placesOf(page, 'Svc Audio', SEARCHES)
  await page.screenshot({ path: join(screenshots, 'picker-light.png') })
  await page.keyboard.press('Escape')
  await page.locator('[data-handleid*="ai_tool"]').getByTestId('canvas-handle-plus').first().click({ force: true })
  const tools = await placesOf(page, 'Svc Audio Tool', toolSearches)
  await page.screenshot({ path: join(screenshots, 'tools-light.png') })
  return [`editor: places among nodes: ${nodes}`, `editor: places among tools: ${tools}`]
}

async function placesOf(page: Page, name: string, searches: readonly string[]): Promise<string> {
  const places: string[] = []
  for (const text of searches) places.push(`${text} ${await placeOf(page, text, name)}`)
  return places.join(', ')
}

/** @throws Error when the node is not among the first that are listed */
async function placeOf(page: Page, text: string, name: string): Promise<number> {
  await page.getByTestId('node-creator-search-bar').fill(text)
  // until then the list of the word before may be shown
  await page.waitForTimeout(SEARCH_DELAY)
  const names = page.getByTestId('node-creator').getByTestId('node-creator-item-name')
  await names
    .getByText(name, { exact: true })
    .first()
    .waitFor()
    .catch((cause: unknown) => {
      throw new Error(`"${text}" does not find ${name}`, { cause })
    })
  const listed = (await names.allTextContents()).map((one) => one.trim())
  const place = listed.indexOf(name) + 1
  if (place > LAST_PLACE) throw new Error(`"${text}" finds ${name} at place ${place}, after ${listed.join(', ')}`)
  return place
}

async function photograph(
  page: Page,
  path: string,
  nodes: readonly INode[],
  file: (name: string) => string,
): Promise<void> {
  await page.goto(path)
  await page.getByTestId('canvas-node').first().waitFor()
  await page.getByTestId('zoom-to-fit').click()
  for (const { name } of nodes) {
    await page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`).first().dblclick({ force: true })
    const panel = page.getByTestId('node-parameters')
    await panel.waitFor()
    await page.waitForLoadState('networkidle')
    await page.mouse.move(0, 0)
    await page.waitForFunction(LISTS_ARE_LOADED)
    await page.screenshot({ path: file(name), animations: 'disabled', clip: await filledPart(panel) })
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'hidden' })
  }
}

/** The panel down to its last field. */
async function filledPart(panel: Locator): Promise<Rectangle> {
  const [outer, fields] = await Promise.all([
    panel.boundingBox(),
    panel.locator('.parameter-input-list-wrapper').first().boundingBox(),
  ])
  if (outer === null || fields === null) throw new Error('The panel is not visible')
  return { ...outer, height: Math.min(outer.height, fields.y + fields.height + MARGIN - outer.y) }
}

/** A node for each operation, and the trigger. */
function panelNodes(credential: string): INode[] {
  const credentials = { svcAudioApi: { id: credential, name: 'Svc Audio API' } }
  const names = operations().map(([resource, operation], index) => {
    const position: INode['position'] = [(index % 5) * 300, Math.floor(index / 5) * 250]
    return node(`${resource}-${operation}`, SVC_AUDIO, { ...SAMPLE, resource, operation }, { credentials, position })
  })
  return [...names, node('trigger', `${SVC_AUDIO}Trigger`, {}, { credentials, position: [-300, 0] })]
}

/** Resource and operation of each, as the built node offers them. */
function operations(): [resource: string, operation: string][] {
  const { SvcAudio } = createRequire(import.meta.url)('../dist/nodes/SvcAudio/SvcAudio.node.js') as {
    SvcAudio: new () => INodeType
  }
  const fields = new SvcAudio().description.properties.filter(({ name }) => name === 'operation')
  return fields.flatMap(({ displayOptions, options }) => {
    const [resource = ''] = displayOptions?.show?.['resource'] ?? []
    return (options as INodePropertyOptions[]).map(({ value }): [string, string] => [resource as string, String(value)])
  })
}
