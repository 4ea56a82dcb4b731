import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Page, type Response } from 'playwright-core'
import { AUDIO_TAP } from './audio-tap.ts'

// Disable background work of the browser. Sound needs no device.
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/**
 * Starts Chromium from `PLAYWRIGHT_CHROMIUM`, else Debian's Chromium.
 * @param microphone A WAV file that the fake microphone loops.
 */
export async function launchBrowser(microphone?: string): Promise<Browser> {
  const executablePath = process.env['PLAYWRIGHT_CHROMIUM'] ?? '/usr/bin/chromium'
  if (!existsSync(executablePath)) {
    throw new Error(
      `These tests need Chromium. Not found: ${executablePath}. ` +
        'Install it (Debian: apt-get install chromium) or set PLAYWRIGHT_CHROMIUM to its path',
    )
  }
  const listening =
    microphone === undefined
      ? []
      : [
          '--use-fake-ui-for-media-stream',
          '--use-fake-device-for-media-stream',
          `--use-file-for-fake-audio-capture=${microphone}`,
        ]
  return chromium.launch({ executablePath, args: [...FLAGS, ...listening] })
}

/** A page and everything it received. */
export interface OpenPage {
  readonly page: Page
  readonly context: BrowserContext
  /** Thrown and logged errors of the page. */
  readonly errors: readonly string[]
  /** Addresses, headers and bodies that the browser has received. */
  received(): Promise<string>
}

/** Opens the playground in a fresh profile. */
export async function openPage(browser: Browser, url: string): Promise<OpenPage> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, acceptDownloads: true })
  context.setDefaultTimeout(90_000)
  await context.addInitScript(AUDIO_TAP)
  const page = await context.newPage()
  const responses: Promise<string>[] = []
  const errors: string[] = []
  page.on('response', (response) => responses.push(contentOf(response)))
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text())
  })
  await page.goto(url)
  return { page, context, errors, received: async () => (await Promise.all(responses)).join('\n') }
}

async function contentOf(response: Response): Promise<string> {
  // An aborted response has no body, and a closed page has no headers.
  const headers = JSON.stringify(await response.allHeaders().catch(() => ({})))
  const body = await response.body().catch(() => Buffer.alloc(0))
  return `${response.url()}\n${headers}\n${body.toString('latin1')}`
}
