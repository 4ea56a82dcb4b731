import { existsSync } from 'node:fs'
import axe from 'axe-core'
import { type Browser, launch, type Page } from 'puppeteer-core'
import { vi } from 'vitest'

/** A browser of {@link launchEither}. Firefox is driven by WebDriver BiDi, Chromium by its own protocol. */
export type BrowserName = 'chromium' | 'firefox'

/** The browsers of this run: both in `suite matrix`, Chromium with each commit. */
export const BROWSERS: readonly BrowserName[] =
  process.env['SUITE'] === 'matrix' ? ['chromium', 'firefox'] : ['chromium']

const PATHS: Readonly<Record<BrowserName, string>> = {
  chromium: process.env['PLAYWRIGHT_CHROMIUM'] ?? '/usr/bin/chromium',
  firefox: process.env['FIREFOX'] ?? '/usr/bin/firefox-esr',
}

/** Starts Debian's Chromium or Firefox, or those of `PLAYWRIGHT_CHROMIUM` and `FIREFOX`. @param env For its sound. */
export async function launchEither(name: BrowserName, env: Readonly<Record<string, string>>): Promise<Browser> {
  const executablePath = PATHS[name]
  if (!existsSync(executablePath)) {
    throw new Error(`Not found: ${executablePath}. Install it (Debian: apt-get install chromium firefox-esr)`)
  }
  const shared = { executablePath, env: { ...process.env, ...env }, headless: true } as const
  return name === 'firefox'
    ? launch({ ...shared, browser: 'firefox', extraPrefsFirefox: { 'media.autoplay.default': 0 } })
    : launch({ ...shared, browser: 'chrome', args: ['--no-sandbox', '--disable-gpu'] })
}

/** What a user does in either browser. Controls are found by their role and their name, as a screen reader finds them. */
export class User {
  readonly page: Page
  readonly #origin: string

  constructor(page: Page, origin: string) {
    this.page = page
    // A busy machine needs time.
    page.setDefaultTimeout(120_000)
    this.#origin = origin
  }

  async open(path: string): Promise<void> {
    await this.page.goto(this.#origin + path)
  }

  async press(name: string, role = 'button'): Promise<void> {
    await this.page.locator(selectorOf(name, role)).click()
  }

  async fill(name: string, text: string): Promise<void> {
    await this.page.locator(selectorOf(name, 'textbox')).fill(text)
  }

  async choose(name: string, value: string): Promise<void> {
    await this.page.locator(selectorOf(name, 'combobox')).fill(value)
  }

  /** Waits until a control is there. */
  async sees(name: string, role = 'button'): Promise<void> {
    await this.page.locator(selectorOf(name, role)).wait()
  }

  /** Waits until the page says a text. */
  async reads(text: string | RegExp): Promise<void> {
    const look = async (): Promise<void> => {
      const said = await this.text()
      const isThere = typeof text === 'string' ? said.includes(text) : text.test(said)
      if (!isThere) throw new Error(`The page does not say ${text}. It says: ${said}`)
    }
    await vi.waitFor(look, { timeout: 180_000, interval: 200 })
  }

  /** The visible text of the page. */
  async text(): Promise<string> {
    return String(await this.page.evaluate("document.querySelector('main').innerText"))
  }

  /** Returns what axe finds in the page as it is, one line each. */
  async violations(): Promise<string[]> {
    await this.page.evaluate(axe.source)
    const found: unknown = await this.page.evaluate(
      'axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`)))',
    )
    return Array.isArray(found) ? found.map(String) : ['axe found no list']
  }
}

function selectorOf(name: string, role: string): string {
  return `aria/${name}[role="${role}"]`
}
