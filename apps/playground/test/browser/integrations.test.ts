import { readFile } from 'node:fs/promises'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { integrations } from '../../server/integrations/index.ts'
import { violations } from '../support/accessibility.ts'
import { launchBrowser, type OpenPage, openPage } from '../support/browser.ts'
import { startTestPlayground, type TestPlayground } from '../support/playground.ts'

const TEXT = 'There is fresh bread on the table in the kitchen.'
const TITLES = integrations.map(({ title }) => title)

let playground: TestPlayground
let browser: Browser
let open: OpenPage

beforeAll(async () => {
  playground = await startTestPlayground()
  browser = await launchBrowser()
  open = await openPage(browser, `${playground.url}/integrations`)
})
afterAll(async () => {
  await browser?.close()
  await playground?.close()
})

// n8n takes seconds to load, and each of the integrations speaks and transcribes.
test('every integration works on the typed text', { timeout: 400_000 }, async () => {
  const { page } = open
  expect(TITLES).toEqual(['Express', 'NestJS', 'Fastify', 'Hono', 'LangChain', 'AI SDK', 'MCP', 'Voice', 'n8n', 'Vite'])
  await page.getByLabel('Text', { exact: true }).fill(TEXT)
  await page.getByRole('button', { name: 'Run all' }).click()
  await page.getByText(`${TITLES.length} of ${TITLES.length} work.`).waitFor({ timeout: 300_000 })
  for (const title of TITLES) {
    const card = page.getByRole('article', { name: title })
    const text = await card.innerText()
    expect(text).toMatch(/Works, [\d.]+ m?s/)
    expect(Number(/Word error rate ([\d.]+) %/.exec(text)?.[1])).toBeLessThanOrEqual(15)
    expect(
      await card
        .getByRole('list', { name: `Steps of ${title}` })
        .getByRole('listitem')
        .count(),
    ).toBeGreaterThan(1)
    // The browser can play the audio.
    const position = card.getByRole('slider', { name: /^Position/ })
    await expect.poll(async () => Number(await position.getAttribute('max'))).toBeGreaterThan(1.5)
  }
  for (const title of ['Express', 'NestJS']) {
    const steps = await page.getByRole('list', { name: `Steps of ${title}` }).innerText()
    expect(steps).toMatch(/POST \/tasks: 20\d, then the callback of task_/)
  }
  await page.getByRole('tab', { name: /^Inspector/ }).click()
  await page.getByText('POST /api/integrations/vite').first().waitFor()
  await page.getByRole('tab', { name: 'Integrations' }).click()
  expect(await open.received()).not.toContain(playground.apiKey)
  expect(open.errors).toEqual([])
  expect(await violations(page)).toEqual([])
})

test('Stop aborts the running integration and drops the waiting ones', async () => {
  const { page } = open
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await page.getByRole('button', { name: 'Run all' }).click()
  await page.getByText('Running Express …').waitFor()
  const failed = page.waitForEvent('requestfailed')
  await page.getByRole('button', { name: 'Stop' }).click()
  expect((await failed).url()).toContain('/api/integrations/express')
  await expect(page.getByText('Not run yet').count()).resolves.toBe(TITLES.length)
  // A slow page may still load its parts.
  expect(asked.filter((path) => path.startsWith('/api/integrations/'))).toEqual(['/api/integrations/express'])
})

test('the shown code is in the file that runs', async () => {
  for (const { id, title } of integrations) {
    const source = await readFile(new URL(`../../server/integrations/${id}.ts`, import.meta.url), 'utf8')
    const card = open.page.getByRole('article', { name: title })
    await card.getByText('The code that runs').click()
    const shown = await card.locator('pre').innerText()
    const lines = shown.split('\n').filter((line) => line.trim() !== '')
    expect(lines.length).toBeGreaterThan(5)
    for (const line of lines) expect(source).toContain(line.trim())
  }
})

test('each integration shows its own error with its reason', { timeout: 400_000 }, async () => {
  const { page } = open
  // The page lists valid voices only, so the test replaces the voice in the request.
  await page.route('**/api/integrations/*', (route) =>
    route.continue({ postData: JSON.stringify({ text: TEXT, voice: 'nobody' }) }),
  )
  await page.getByRole('button', { name: 'Run all' }).click()
  await page.getByText(`0 of ${TITLES.length} work, ${TITLES.length} failed.`).waitFor({ timeout: 300_000 })
  for (const title of TITLES) {
    const text = await page.getByRole('article', { name: title }).innerText()
    expect(text).toMatch(/Failed/)
    expect(text).toMatch(title === 'LangChain' ? /tool failed: .*voice/i : /nobody|voice/i)
  }
  for (const title of ['Express', 'NestJS']) {
    const text = await page.getByRole('article', { name: title }).innerText()
    expect(text).toMatch(/The app answered 502.*\n.*nobody/)
  }
  expect(await open.received()).not.toContain(playground.apiKey)
  expect(await violations(page)).toEqual([])
})

test('after a failed integration, the others still run', { timeout: 400_000 }, async () => {
  const { page } = open
  await page.unroute('**/api/integrations/*')
  await page.route('**/api/integrations/express', (route) => route.continue({ postData: '{}' }))
  await page.getByRole('button', { name: 'Run all' }).click()
  await page.getByText(`${TITLES.length - 1} of ${TITLES.length} work, 1 failed.`).waitFor({ timeout: 300_000 })
  await expect(page.getByRole('article', { name: 'Express' }).innerText()).resolves.toContain('The text is empty')
})

test('a text over the limit is not cut: the page says how much to delete', async () => {
  const { page } = open
  await page.getByLabel('Text', { exact: true }).fill('a'.repeat(310))
  await page.getByText('310 of 300 characters: delete 10').waitFor()
  expect(await page.getByRole('button', { name: 'Run all' }).isDisabled()).toBe(true)
})
