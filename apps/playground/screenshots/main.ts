// Writes the pictures of docs/playground. Run it after a change of the page: pnpm --filter @svc-audio/playground screenshots
import { fileURLToPath } from 'node:url'
import { encodeWav } from '@svc-audio/core/audio'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../test/support/browser.ts'
import { startTestPlayground } from '../test/support/playground.ts'

/** A picture of a panel. */
interface Picture {
  readonly name: string
  /** Path of the page. */
  readonly path: string
  readonly width: 390 | 768 | 1440
  readonly theme: 'light' | 'dark'
  /** Brings the panel to work, before the picture is taken. */
  readonly act?: (page: Page) => Promise<void>
}

const FOLDER = fileURLToPath(new URL('../../../docs/playground/', import.meta.url))
const HEIGHTS = { 390: 844, 768: 1024, 1440: 900 } as const

const SPEECH_FORMAT = { sampleRate: 16_000, channels: 1, bitDepth: 16 }

const click = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click()

async function speak(page: Page): Promise<void> {
  await click(page, 'Speak')
  await page.getByText(/^Complete: /).waitFor()
  await page.waitForTimeout(4000)
}

async function transcribe(page: Page): Promise<void> {
  await click(page, 'Sample: two voices')
  await page.getByText(/^Transcribed /).waitFor()
  await page.getByRole('textbox', { name: 'Name of S01' }).fill('Ann')
  await page.getByRole('textbox', { name: 'Name of S01' }).blur()
}

async function dialogue(page: Page): Promise<void> {
  await click(page, 'Speak all')
  await page
    .getByRole('button', { name: /^Pause / })
    .first()
    .waitFor()
  await page.waitForTimeout(3000)
}

async function talk(page: Page): Promise<void> {
  await click(page, 'What time is it?')
  await page.getByText('You hear the answer').waitFor()
}

async function roundTrip(page: Page): Promise<void> {
  await click(page, 'Run')
  await page.getByText(/wrong\.$/).waitFor()
}

async function task(page: Page): Promise<void> {
  await click(page, 'Create task')
  await page.getByText(/^arrived /).waitFor()
  await page.getByRole('group', { name: /^Player/ }).waitFor()
}

async function files(page: Page): Promise<void> {
  for (const name of ['interview.wav', 'meeting.wav']) {
    const file = {
      name,
      mimeType: 'audio/wav',
      buffer: Buffer.from(encodeWav(SPEECH_FORMAT, [new Uint8Array(96_000)])),
    }
    await page.getByLabel('File to store').setInputFiles(file)
    await page.getByText(`Stored ${name}.`).waitFor()
  }
}

async function integrate(page: Page): Promise<void> {
  await click(page, 'Run Express')
  await page.getByText(/^Works, /).waitFor()
  await page.getByText(/^0:0[1-9]$/).waitFor()
}

async function inspect(page: Page): Promise<void> {
  await speak(page)
  await page.getByRole('tab', { name: /^Inspector/ }).click()
}

const wide = { width: 1440, theme: 'light' } as const
const PICTURES: readonly Picture[] = [
  { ...wide, name: 'speak', path: '/speak', act: speak },
  { ...wide, name: 'speak-dark', path: '/speak', theme: 'dark', act: speak },
  { ...wide, name: 'speak-390', path: '/speak', width: 390, act: speak },
  { ...wide, name: 'speak-code', path: '/speak?tab=code' },
  { ...wide, name: 'speak-inspector', path: '/speak', act: inspect },
  { ...wide, name: 'transcribe', path: '/transcribe', act: transcribe },
  { ...wide, name: 'transcribe-768', path: '/transcribe', width: 768, theme: 'dark', act: transcribe },
  { ...wide, name: 'transcribe-390', path: '/transcribe', width: 390, act: transcribe },
  { ...wide, name: 'dialogue', path: '/dialogue', act: dialogue },
  { ...wide, name: 'talk', path: '/talk', act: talk },
  { ...wide, name: 'voices', path: '/voices' },
  { ...wide, name: 'tasks', path: '/tasks', act: task },
  { ...wide, name: 'files', path: '/files', act: files },
  { ...wide, name: 'models', path: '/models' },
  { ...wide, name: 'round-trip', path: '/round-trip', act: roundTrip },
  { ...wide, name: 'round-trip-390', path: '/round-trip', width: 390, theme: 'dark', act: roundTrip },
  { ...wide, name: 'integrations', path: '/integrations', act: integrate },
]

const playground = await startTestPlayground()
const browser = await launchBrowser()
try {
  const [only] = process.argv.slice(2)
  for (const picture of PICTURES) {
    if (only !== undefined && !picture.name.startsWith(only)) continue
    await take(browser, picture)
    process.stdout.write(`${picture.name}\n`)
  }
} finally {
  await browser.close()
  await playground.close()
}

async function take(from: Browser, { name, path, width, theme, act }: Picture): Promise<void> {
  const viewport = { width, height: HEIGHTS[width] }
  const context = await from.newContext({ viewport, colorScheme: theme, reducedMotion: 'reduce' })
  // A busy machine needs time.
  context.setDefaultTimeout(120_000)
  const page = await context.newPage()
  await page.goto(playground.url + path, { waitUntil: 'networkidle' })
  await act?.(page)
  await page.waitForTimeout(500)
  await page.screenshot({ path: `${FOLDER}${name}.png` })
  await context.close()
}
