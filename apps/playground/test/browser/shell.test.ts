import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { overflows, violations } from '../support/accessibility.ts'
import { PANEL_IDS } from '../../shared/api.ts'
import { setStage } from '../support/stage.ts'

const stage = setStage('/')

/** Largest JavaScript of the first panel, in bytes after gzip. */
const MAX_SCRIPT_BYTES = 150_000

test('a panel has an address, and the buttons of the browser move between panels', async () => {
  const { page, playground } = stage
  await page.getByRole('heading', { name: 'Speak' }).waitFor()
  await page.getByRole('link', { name: 'Transcribe' }).click()
  await page.getByRole('heading', { name: 'Transcribe' }).waitFor()
  expect(page.url()).toBe(`${playground.url}/transcribe`)
  expect(await page.title()).toBe('Transcribe · svc-audio')
  await page.goBack()
  await page.getByRole('heading', { name: 'Speak' }).waitFor()
  await page.goto(`${playground.url}/integrations`)
  await page.getByRole('heading', { name: 'Integrations' }).waitFor()
})

test('the address names the tab, and the arrow keys select it', async () => {
  const { page, playground } = stage
  await page.goto(`${playground.url}/speak?tab=code`)
  await page.getByRole('tab', { name: 'Code' }).focus()
  await page.locator('.code-file').waitFor()
  await page.keyboard.press('ArrowRight')
  await page.getByText('No request yet').waitFor()
  expect(page.url()).toBe(`${playground.url}/speak?tab=inspector`)
  await page.keyboard.press('Home')
  await page.getByRole('button', { name: 'Speak', exact: true }).waitFor()
})

test('the first panel loads little JavaScript, and other panels when they are opened', async () => {
  const { browser, playground } = stage
  const context = await browser.newContext()
  const page = await context.newPage()
  const scripts: string[] = []
  let bytes = 0
  const bodies: Promise<void>[] = []
  page.on('response', (response) => {
    if (!response.url().endsWith('.js')) return
    scripts.push(response.url())
    bodies.push(response.body().then((body) => void (bytes += gzipSync(body).byteLength)))
  })
  await page.goto(playground.url, { waitUntil: 'networkidle' })
  await page.getByRole('heading', { name: 'Speak' }).waitFor()
  await Promise.all(bodies)
  expect(bytes).toBeGreaterThan(10_000)
  expect(bytes).toBeLessThanOrEqual(MAX_SCRIPT_BYTES)
  const before = scripts.length
  await page.getByRole('link', { name: 'Integrations' }).click()
  await page.getByRole('heading', { name: 'Integrations' }).waitFor()
  expect(scripts.length).toBeGreaterThan(before)
  await context.close()
})

test('the font comes with the page', async () => {
  const { page, open } = stage
  await page.getByRole('heading', { name: 'Speak' }).waitFor()
  const families = await page.evaluate<string[]>(
    "document.fonts.ready.then((fonts) => [...fonts].filter((font) => font.status === 'loaded').map((font) => font.family))",
  )
  expect(families.map((family) => family.replaceAll('"', ''))).toContain('Inter Variable')
  expect(await open.received()).toContain('.woff2')
})

test('a chosen theme survives a reload, and forced colours show which one it is', async () => {
  const { page } = stage
  await page.getByRole('radio', { name: 'Dark' }).check({ force: true })
  await page.reload()
  expect(await page.getByRole('radio', { name: 'Dark' }).isChecked()).toBe(true)
  expect(await page.evaluate('getComputedStyle(document.body).colorScheme')).toBe('dark')
  await page.emulateMedia({ forcedColors: 'active' })
  const colours = await page.evaluate<string[]>(
    "[...document.querySelectorAll('.sidebar .theme-switch label')].map((label) => getComputedStyle(label).backgroundColor)",
  )
  expect(colours[2]).not.toBe(colours[0])
  expect(colours[1]).toBe(colours[0])
  const tabs = await page.evaluate<string[]>(
    "[...document.querySelectorAll('[role=tab]')].map((tab) => getComputedStyle(tab).backgroundColor)",
  )
  expect(tabs[0]).not.toBe(tabs[1])
  // Else the browser draws a box of the page's colour behind the label.
  const label = await page.evaluate("getComputedStyle(document.querySelector('.button-primary')).forcedColorAdjust")
  expect(label).toBe('none')
})

test('every panel begins at the left edge of its title', async () => {
  const { page, playground } = stage
  for (const id of PANEL_IDS) {
    await page.goto(`${playground.url}/${id}`)
    await page.locator('h1').first().waitFor()
    const [title, view] = await page.evaluate<number[]>(
      "[...document.querySelectorAll('.panel-host')].filter((panel) => panel.offsetParent !== null).flatMap((panel) => ['h1', '.panel-view'].map((name) => panel.querySelector(name).getBoundingClientRect().left))",
    )
    expect([id, view]).toEqual([id, title])
  }
})

test('on a phone the panels are in a menu, which the keyboard opens and closes', async () => {
  const { page } = stage
  await page.setViewportSize({ width: 390, height: 844 })
  const menu = page.getByRole('button', { name: 'Menu', exact: true })
  await menu.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Menu' }).waitFor()
  expect(await violations(page, [390])).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Menu' }).waitFor({ state: 'detached' })
  expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Menu')
  await menu.click()
  await page.getByRole('dialog').getByRole('link', { name: 'Transcribe' }).click()
  await page.getByRole('heading', { name: 'Transcribe' }).waitFor()
})

test('an unknown address has a way back', async () => {
  const { page, playground } = stage
  expect((await page.goto(`${playground.url}/nothing`))?.status()).toBe(404)
  await page.getByText('There is no page at this address.').waitFor()
  await page.getByRole('link', { name: 'Open Speak' }).click()
  await page.getByRole('heading', { name: 'Speak' }).waitFor()
})

test('a frozen service is said to give no response, until it works again', async () => {
  const { page, playground } = stage
  const { process: pid } = (await (await fetch(`${playground.url}/api/status`)).json()) as { process: number }
  process.kill(pid, 'SIGSTOP')
  try {
    await page.locator('.connection-banner', { hasText: 'takes requests and does not answer' }).waitFor()
    expect(await page.locator('.service').innerText()).toContain('No response')
  } finally {
    process.kill(pid, 'SIGCONT')
  }
  await page.locator('.connection-banner').waitFor({ state: 'detached' })
})

test('a check that waits behind six long responses is said to get no response, until one of them ends', async () => {
  const { page } = stage
  // A browser has six connections for a server. These responses never end.
  const requests = await page.evaluateHandle(async () => {
    const controller = new AbortController()
    const events = async (): Promise<Response> => fetch('/api/webhooks/events', { signal: controller.signal })
    await Promise.all(Array.from({ length: 6 }, events))
    return controller
  })
  await page.locator('.connection-banner', { hasText: 'takes requests and does not answer' }).waitFor()
  expect(await page.locator('.service').innerText()).toContain('No response')
  await requests.evaluate((controller) => controller.abort())
  await page.locator('.connection-banner').waitFor({ state: 'detached' })
})

test('a panel that was opened offline is there when the connection is back', async () => {
  const { page } = stage
  await page.context().setOffline(true)
  await page.getByRole('link', { name: 'Files', exact: true }).click()
  await page.getByText('Files cannot be shown.').waitFor()
  await page.locator('.connection-banner').waitFor()
  await page.context().setOffline(false)
  await page.getByRole('heading', { name: 'Files', exact: true }).waitFor({ timeout: 20_000 })
  expect(await page.getByText('Files cannot be shown.').count()).toBe(0)
})

describe('each tab', () => {
  test.each([...PANEL_IDS.map((id) => `/${id}`), '/speak?tab=code', '/speak?tab=inspector'])(
    '%s has no fault for axe at any width, and fits it',
    async (path) => {
      const { page, playground } = stage
      await page.goto(playground.url + path, { waitUntil: 'networkidle' })
      expect(await overflows(page)).toEqual([])
      // The tests of the panels look again, after use.
      expect(await violations(page)).toEqual([])
    },
  )
})

test('a killed service shows one banner, which leaves with the failures when the service is back', async () => {
  const { page, playground } = stage
  await page.getByRole('button', { name: /^Voice/ }).waitFor()
  // The playground waits for its service. Here it answers at once that there is none.
  await page.route('**/api/v1/audio/speech', (route) =>
    route.fulfill({
      status: 502,
      json: { error: { code: 'service_unreachable', message: 'The service does not answer.' } },
    }),
  )
  const gone = { service: 'down', embedded: true }
  await page.route('**/api/status', (route) => route.fulfill({ json: gone }))
  await page.getByRole('button', { name: 'Speak', exact: true }).click()
  await page.locator('.connection-banner').waitFor()
  await page.locator('.failure', { hasText: 'service_unreachable' }).waitFor()
  expect(await page.locator('.connection-banner').count()).toBe(1)
  expect(await page.locator('.failure').count()).toBe(1)
  await page.unroute('**/api/status')
  await page.unroute('**/api/v1/audio/speech')
  await playground.signalService('SIGKILL')
  await page.getByRole('button', { name: 'Retry' }).first().click()
  await page.locator('.connection-banner').waitFor({ state: 'detached' })
  await page.locator('.failure').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Speak', exact: true }).click()
  await page.getByText(/^Complete: /).waitFor()
})

test('voices that failed to load are loaded when the service is back, and on Retry', async () => {
  const { page, playground } = stage
  let fail = true
  const refusal = { error: { code: 'internal_error', message: 'The list is not available' } }
  await page.route('**/api/v1/audio/voices*', (route) =>
    fail ? route.fulfill({ status: 500, json: refusal }) : route.continue(),
  )
  await page.goto(`${playground.url}/speak`)
  await page.getByText('The list is not available.').waitFor()
  fail = false
  await page.getByRole('button', { name: 'Retry' }).click()
  await page.getByRole('button', { name: /^Voice Joe/ }).waitFor()
  expect(await page.locator('.failure').count()).toBe(0)
})
