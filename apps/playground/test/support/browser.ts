import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Page, type Response } from 'playwright-core'
import { AUDIO_TAP } from './audio-tap.ts'

// What a browser does beside the page is not wanted in a test; sound needs no device.
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
 * Starts Chromium: the one that `PLAYWRIGHT_CHROMIUM` names, else Debian's.
 * @param microphone A WAV file that the microphone hears, over and over.
 */
export async function launchBrowser(microphone?: string): Promise<Browser> {
  const executablePath = process.env['PLAYWRIGHT_CHROMIUM'] ?? '/usr/bin/chromium'
  if (!existsSync(executablePath)) {
    throw new Error(
      `These tests need Chromium, and there is none at ${executablePath}: ` +
        'install it (Debian: apt-get install chromium), or name one with PLAYWRIGHT_CHROMIUM',
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

/** A page and everything that came to it. */
export interface OpenPage {
  readonly page: Page
  readonly context: BrowserContext
  /** Errors that the page threw or logged. */
  readonly errors: readonly string[]
  /** Everything the browser received so far: addresses, headers and bodies. */
  received(): Promise<string>
}

/** Opens the playground in a profile of its own. */
export async function openPage(browser: Browser, url: string): Promise<OpenPage> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, acceptDownloads: true })
  context.setDefaultTimeout(100_000)
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
  const headers = JSON.stringify(await response.allHeaders())
  // One that was left early has no body to look at.
  const body = await response.body().catch(() => Buffer.alloc(0))
  return `${response.url()}\n${headers}\n${body.toString('latin1')}`
}
