import type { Page, Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { overflows, violations } from '../support/accessibility.ts'
import { setStage } from '../support/stage.ts'

const stage = setStage('/models')

const FAILED = { error: { code: 'internal_error', message: 'The engine failed in the middle of its work.' } }

/** Lets each later request of the page fail. */
async function failAll(page: Page): Promise<void> {
  await page.route(/\/api\/(?:v1|integrations|webhooks)/, (route) => route.fulfill({ status: 500, json: FAILED }))
}

/** Waits for the error on the screen. @returns what axe finds, and the widths that the page does not fit */
async function faults(page: Page): Promise<readonly unknown[]> {
  await page.getByText('The engine failed in the middle of its work').filter({ visible: true }).first().waitFor()
  return [...(await violations(page)), ...(await overflows(page))]
}

test.each([
  '/speak',
  '/dialogue',
  '/talk',
  '/voices',
  '/tasks',
  '/files',
  '/models',
  '/round-trip',
  '/integrations',
  '/transcribe?task=task_1',
])('axe finds no fault in %s whose content cannot be read, at any width and in any theme', async (path) => {
  const { page, playground } = stage
  await failAll(page)
  await page.goto(playground.url + path)
  expect(await faults(page)).toEqual([])
})

const press = async (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).first().click()

const CALLS: Readonly<Record<string, readonly [path: string, call: (page: Page) => Promise<void>]>> = {
  'a speech': ['/speak', (page) => press(page, 'Speak')],
  'a dialogue': ['/dialogue', (page) => press(page, 'Speak all')],
  'a question to the agent': ['/talk', (page) => press(page, 'What time is it?')],
  'a task': ['/tasks', (page) => press(page, 'Create task')],
  'a round trip': ['/round-trip', (page) => press(page, 'Run')],
  'an integration': ['/integrations', (page) => press(page, 'Run Express')],
  'a sample to transcribe': ['/transcribe', (page) => press(page, 'Sample: one voice')],
  'an address to transcribe': [
    '/transcribe',
    async (page) => {
      await page.getByLabel('Address of the audio').fill('https://example.com/talk.mp3')
      await press(page, 'Transcribe address')
    },
  ],
  'a file to store': [
    '/files',
    (page) =>
      page
        .getByLabel('File to store')
        .setInputFiles({ name: 'a.wav', mimeType: 'audio/wav', buffer: Buffer.alloc(44) }),
  ],
  'a voice from a recording': [
    '/voices',
    async (page) => {
      await page.getByRole('tab', { name: 'Recording' }).click()
      const file = { name: 'a.wav', mimeType: 'audio/wav', buffer: Buffer.alloc(44) }
      await page.getByLabel('Recording of the voice').setInputFiles(file)
      await page.getByLabel('Name', { exact: true }).fill('Anna')
      await press(page, 'Make voice')
    },
  ],
  'a described voice': [
    '/voices',
    async (page) => {
      await page.getByRole('tab', { name: 'Description' }).click()
      await press(page, 'Design voice')
    },
  ],
  'a comparison of voices': [
    '/voices',
    async (page) => {
      await page.getByRole('tab', { name: 'Compare' }).click()
      await page.getByRole('button', { name: 'Compare', exact: true }).last().click()
    },
  ],
  'a request in the inspector': [
    '/speak',
    async (page) => {
      await press(page, 'Speak')
      await page.locator('.failure').waitFor()
      await page.getByRole('tab', { name: /^Inspector/ }).click()
    },
  ],
}

test.each(Object.keys(CALLS))(
  'axe finds no fault after %s that failed, at any width and in any theme',
  async (name) => {
    const { page, playground } = stage
    const [path, call] = CALLS[name] ?? ['', async () => {}]
    await page.goto(playground.url + path, { waitUntil: 'networkidle' })
    await failAll(page)
    await call(page)
    expect(await faults(page)).toEqual([])
  },
)

test.each([
  ['a browser that is offline', 'The browser is offline.', (page: Page) => page.context().setOffline(true)],
  ['a playground that has stopped', 'The playground has stopped.', (page: Page) => page.route('**/api/**', cut)],
] as const)('axe finds no fault in the banner of %s, at any width and in any theme', async (_case, says, fail) => {
  const { page } = stage
  await fail(page)
  await page.getByText(says).waitFor()
  expect(await violations(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
})

function cut(route: Route): Promise<void> {
  return route.abort('connectionreset')
}
