import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking']

/** Chromium as Debian packages it, or the one that `CHROMIUM` names. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium', args: FLAGS })
}

/** What the player of a page shows. */
export interface Shown {
  readonly second: number
  readonly duration: number
  readonly paused: boolean
  readonly rate: number
  readonly caption: string
  /** Text of the marked paragraph. */
  readonly current: string
  /** The shown problem, empty for none. */
  readonly problem: string
  /** Address of the audio. */
  readonly src: string
  /** Whether the page has one player, and its audio is the one of the first look. */
  readonly isSame: boolean
}

/** A function for a page: all elements of a selector, also those in shadow roots. */
const FIND_ALL = `(selector, root = document) => {
  const inside = (at) => [
    ...at.querySelectorAll(selector),
    ...[...at.querySelectorAll('*')].flatMap(({ shadowRoot }) => (shadowRoot ? inside(shadowRoot) : [])),
  ]
  return inside(root)
}`

const SHOWN = `(() => {
  const all = ${FIND_ALL}
  const players = all('narration-player')
  const root = players[0]?.shadowRoot
  const audio = players[0]?.audio
  const problem = root?.querySelector('.problem')
  if (audio) window.firstAudio ??= audio
  return {
    second: audio?.currentTime ?? 0,
    duration: audio?.duration ?? NaN,
    paused: audio?.paused ?? true,
    rate: audio?.playbackRate ?? 1,
    caption: root?.querySelector('.caption')?.textContent ?? '',
    current: all('[data-narration-current]')[0]?.textContent ?? '',
    problem: !problem || problem.hidden ? '' : problem.textContent,
    src: audio?.currentSrc ?? '',
    isSame: players.length === 1 && window.firstAudio === audio,
  }
})()`

/** A page with one player. */
export class PlayerPage {
  readonly page: Page
  readonly #problems: string[] = []

  private constructor(page: Page) {
    this.page = page
    page.on('pageerror', (error) => this.#problems.push(error.message))
    page.on('response', (response) => {
      if (response.status() >= 400 && !response.url().includes('favicon'))
        this.#problems.push(`${response.status()} ${response.url()}`)
    })
  }

  /** Opens a page. Its audio comes late by `slowMs`. A dev server bundles the dependencies of a framework first. */
  static async open(browser: Browser, url: string, slowMs = 0): Promise<PlayerPage> {
    const page = await browser.newPage()
    if (slowMs > 0) {
      await page.route(
        () => true,
        async (route) => {
          const isAudio = route.request().resourceType() === 'media'
          if (isAudio) await new Promise((resolve) => setTimeout(resolve, slowMs))
          // A page that is closed in the meantime has no route to continue.
          await route.continue().catch(() => {})
        },
      )
    }
    const opened = new PlayerPage(page)
    await page.goto(url, { timeout: 180_000 })
    return opened
  }

  /** Clicks a button of the player or of the page. */
  async click(name: string): Promise<void> {
    await this.page.getByRole('button', { name, exact: true }).click({ timeout: 180_000 })
  }

  /** Presses a key while the play button has the focus. */
  async press(key: string): Promise<void> {
    await this.page
      .locator('narration-player')
      .getByRole('button', { name: /^(?:Play|Pause)$/ })
      .focus()
    await this.page.keyboard.press(key)
  }

  async chooseSpeed(speed: string): Promise<void> {
    await this.page.locator('narration-player').getByRole('combobox', { name: 'Speed' }).selectOption(speed)
  }

  /** What the player shows now. */
  shown(): Promise<Shown> {
    return this.page.evaluate<Shown>(SHOWN)
  }

  /** Looks every 50 ms until the player shows what it should. @returns all looks */
  async until(isSo: (shown: Shown) => boolean): Promise<readonly Shown[]> {
    const looks: Shown[] = []
    for (let look = 0; look < 400; look += 1) {
      const shown = await this.shown()
      looks.push(shown)
      if (isSo(shown)) return looks
      await this.page.waitForTimeout(50)
    }
    throw new Error(`The player of ${this.page.url()} never showed what it should: ${JSON.stringify(looks.at(-1))}`)
  }

  /** What axe finds in the page and its player. */
  async violations(): Promise<readonly string[]> {
    await this.page.evaluate(await readFile(fileURLToPath(import.meta.resolve('axe-core')), 'utf8'))
    return this.page.evaluate<string[]>(`
      axe.run((${FIND_ALL})('main, narration-player')).then(({ violations }) =>
        violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`)
  }

  /** Closes the page. @throws Error if it had an error or a failed request */
  async close(): Promise<void> {
    await this.page.close()
    if (this.#problems.length > 0) throw new Error(this.#problems.join('\n'))
  }
}

/**
 * Operates the player of a page: it plays, captions are painted and follow, the paragraph is marked, keys and clicks work,
 * and axe finds no violation.
 * @param ending How the address of the audio ends.
 */
export async function listen(browser: Browser, url: string, ending = ''): Promise<void> {
  const player = await PlayerPage.open(browser, url)
  await player.click('Play')
  await player.until(({ second, caption, current }) => second > 0.05 && caption !== '' && /The harbour/.test(current))
  await player.until(({ duration }) => Number.isFinite(duration) && duration > 3)
  // The second paragraph by the keyboard, the last by a click.
  await player.press('Shift+ArrowRight')
  await player.until(({ caption, current }) => caption === 'The boat leaves at nine.' && /boat/.test(current))
  await player.page.locator('p', { hasText: 'It takes about an hour.' }).last().click()
  await player.until(({ caption, paused }) => caption === 'It takes about an hour.' && !paused)
  await player.chooseSpeed('2')
  await player.press('k')
  const { rate, src } = (await player.until(({ paused }) => paused)).at(-1) ?? {}
  expect([rate, src?.endsWith(ending)]).toEqual([2, true])
  expect(await player.violations()).toEqual([])
  await player.close()
}
