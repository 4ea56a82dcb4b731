// Measures the page in Chromium and prints the result as JSON. `pnpm bench --only playground` runs it.
import { setTimeout } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../test/support/browser.ts'
import { startTestPlayground } from '../test/support/playground.ts'

/** Rounds before the clock starts, and measured rounds. */
const WARM_UP = 3
const ROUNDS = 20
/** Milliseconds of silence before each measurement: the work of the one before has ended. */
const PAUSE_MS = 250
/** Length of each look at the main thread, in milliseconds. */
const WATCH_MS = 8000

const TEXT = 'Your parcel has been delivered to the front desk. Please bring your passport when you pick it up.'

/** What the program prints. Times are in milliseconds. */
export interface FirstAudioReport {
  /** From the click to the first sample in the worklet. */
  readonly page: readonly number[]
  /** From a request without the page to the first byte of its PCM. */
  readonly direct: readonly number[]
  /** Tasks of the main thread of more than 50 ms. */
  readonly longTasks: { readonly idle: number; readonly streaming: number }
}

const playground = await startTestPlayground()
const browser = await launchBrowser()
try {
  // Without the observers of the tests, which read all audio and all responses.
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await page.goto(`${playground.url}/speak`)
  // A quick voice: a slow one would hide the time of the page.
  await page.getByRole('button', { name: /^Voice / }).click()
  await page.getByRole('dialog').getByRole('button', { name: /^RMS/ }).click()
  await page.getByRole('button', { name: /^Voice RMS/ }).waitFor()
  const times: { page: number[]; direct: number[] } = { page: [], direct: [] }
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    // In turns: a busy moment of the machine meets both.
    const direct = await directRequest()
    const own = await speakInPage(page)
    if (round < 0) continue
    times.direct.push(direct)
    times.page.push(own)
  }
  const idle = await longTasks(page, async () => {})
  const streaming = await longTasks(page, async () => {
    await page.getByLabel('Text', { exact: true }).fill(TEXT.repeat(20))
    await page.getByRole('button', { name: 'Speak', exact: true }).click()
  })
  process.stdout.write(JSON.stringify({ ...times, longTasks: { idle, streaming } } satisfies FirstAudioReport))
} finally {
  await browser.close()
  await playground.close()
}

async function directRequest(): Promise<number> {
  await setTimeout(PAUSE_MS)
  const began = performance.now()
  const response = await fetch(`${playground.serviceUrl}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${playground.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'svc-tts-1.5-flash',
      input: TEXT,
      voice_id: 'rms',
      stream: true,
      response_format: 'pcm',
    }),
  })
  const reader = response.body?.getReader()
  await reader?.read()
  const ms = performance.now() - began
  for (let more = true; more;) more = (await reader?.read())?.done === false
  return ms
}

/** Speaks in the page, lets it play for a moment, and stops it. */
async function speakInPage(page: Page): Promise<number> {
  const button = page.getByRole('button', { name: 'Speak', exact: true })
  await page.getByLabel('Text', { exact: true }).fill(TEXT)
  // A pointer rests on the button before it clicks.
  await button.hover()
  await setTimeout(PAUSE_MS)
  // A look at the page takes its time. The end of the response is known without.
  const answered = page.waitForEvent('requestfinished', (request) => request.url().endsWith('/v1/audio/speech'))
  await button.click()
  await answered
  await page.getByText(/^Complete: /).waitFor()
  const value = page.locator('.facts div', { hasText: 'First audio' }).locator('dd')
  await value.filter({ hasText: /\d/ }).waitFor()
  const [, amount = '', unit] = /([\d.]+) (ms|s)/.exec(await value.innerText()) ?? []
  await page.keyboard.press('Escape')
  return Number(amount) * (unit === 's' ? 1000 : 1)
}

/** Counts the long tasks of the main thread. */
async function longTasks(page: Page, act: () => Promise<void>): Promise<number> {
  await page.evaluate(
    'window.longTasks = 0; window.watcher = new PerformanceObserver((list) => { window.longTasks += list.getEntries().length }); window.watcher.observe({ type: "longtask" })',
  )
  await act()
  await page.waitForTimeout(WATCH_MS)
  const count = await page.evaluate<number>('window.watcher.disconnect(), window.longTasks')
  await page.keyboard.press('Escape')
  return count
}
