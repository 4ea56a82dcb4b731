import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'

/** Pages that readers see first, one for each kind of page. */
const MAIN_PAGES = [
  '/',
  '/start/',
  '/start/express',
  '/concepts',
  '/errors',
  '/migrate/openai',
  '/packages/core/',
  '/api/core/index/classes/ApiError',
  '/self-hosting/operations',
  '/performance',
  '/changelog',
]

const SCREENS = [
  { name: 'desktop', width: 1280, height: 800 },
  { name: 'phone', width: 390, height: 844 },
] as const

/** Bytes of a page with everything that it loads, without its audio. */
const MAX_PAGE_BYTES = 300_000

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Options of {@link checkInBrowser}. */
export interface BrowserCheckOptions {
  /** Folder for a picture of each page, screen and theme. @default none */
  readonly screenshots?: string | undefined
  /** Addresses of the pages that are weighed besides the main ones. */
  readonly largest: readonly string[]
}

/** The part of an axe result that is printed. */
interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string }[]
}

/**
 * Opens every main page in both themes, on a desktop and a phone.
 * @returns One line for each fault
 */
export async function checkInBrowser(url: string, { screenshots, largest }: BrowserCheckOptions): Promise<string[]> {
  const executablePath = process.env['PLAYWRIGHT_CHROMIUM'] ?? '/usr/bin/chromium'
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--autoplay-policy=no-user-gesture-required'],
  })
  try {
    const faults: string[] = []
    for (const screen of SCREENS) {
      for (const theme of ['light', 'dark'] as const) {
        const context = await browser.newContext({ viewport: screen, colorScheme: theme })
        const page = await context.newPage()
        for (const path of MAIN_PAGES) {
          const found = await checkPage(page, `${url}${path}`)
          faults.push(...found.map((fault) => `${path} (${screen.name}, ${theme}): ${fault}`))
          if (screenshots === undefined) continue
          const name = path.replaceAll('/', '_').replace(/^_/, '') || 'index'
          await page.screenshot({ path: join(screenshots, `${name}-${screen.name}-${theme}.png`) })
        }
        await context.close()
      }
    }
    faults.push(
      ...(await checkPlayer(browser, url)),
      ...(await checkSearch(browser, url)),
      ...(await checkWeights(browser, url, largest)),
    )
    return faults
  } finally {
    await browser.close()
  }
}

async function checkPage(page: Page, address: string): Promise<string[]> {
  const faults: string[] = []
  const onError = (error: Error): void => void faults.push(`error: ${error.message}`)
  page.on('pageerror', onError)
  await page.goto(address, { waitUntil: 'load' })
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  if (wide > 0) faults.push(`the page is ${wide} pixels wider than the screen`)
  await page.evaluate(AXE)
  const violations = await page.evaluate<readonly Violation[]>(
    "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'best-practice'] }).then(({ violations }) => violations)",
  )
  faults.push(...violations.map(({ id, nodes }) => `axe ${id}: ${nodes[0]?.html.slice(0, 160)} (${nodes.length})`))
  page.off('pageerror', onError)
  return faults
}

/** The landing page speaks: a click on play starts the audio. */
async function checkPlayer(browser: Browser, url: string): Promise<string[]> {
  const page = await browser.newPage()
  await page.goto(`${url}/`, { waitUntil: 'networkidle' })
  const player = page.locator('narration-player')
  await player.getByRole('button').first().click()
  const marked = page.locator('[data-narration-current]')
  try {
    await marked.first().waitFor({ timeout: 20_000 })
    return []
  } catch {
    return ['/: play starts no audio']
  } finally {
    await page.close()
  }
}

async function checkSearch(browser: Browser, url: string): Promise<string[]> {
  const page = await browser.newPage()
  try {
    await page.goto(`${url}/faq`, { waitUntil: 'networkidle' })
    await page.keyboard.press('Control+k')
    await page.getByRole('searchbox').fill('idempotency key')
    await page.locator('.result').first().waitFor({ timeout: 20_000 })
    return []
  } catch {
    return ['/faq: the search finds nothing about "idempotency key"']
  } finally {
    await page.close()
  }
}

/** The main pages and the largest ones, with all that they load at their start, compressed as a host sends it. */
async function checkWeights(browser: Browser, url: string, largest: readonly string[]): Promise<string[]> {
  const faults: string[] = []
  for (const path of new Set([...MAIN_PAGES, ...largest])) {
    // A context of its own: nothing is cached.
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    const page = await context.newPage()
    await page.goto(`${url}${path}`, { waitUntil: 'networkidle' })
    const sizes = await page.evaluate(() =>
      performance
        .getEntries()
        .filter((entry) => entry instanceof PerformanceResourceTiming)
        .map(({ name, encodedBodySize }) => ({ name, bytes: encodedBodySize })),
    )
    await context.close()
    const bytes = sizes.filter(({ name }) => !name.endsWith('.mp3')).reduce((sum, one) => sum + one.bytes, 0)
    if (bytes > MAX_PAGE_BYTES) faults.push(`${path}: ${Math.round(bytes / 1000)} KB, at most ${MAX_PAGE_BYTES / 1000}`)
  }
  return faults
}
