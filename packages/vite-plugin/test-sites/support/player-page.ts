import type { Browser, Page } from 'playwright-core'
import { FIND_ALL } from '../../test-hosts/support/listen.ts'

/** What the player of a page shows. */
export interface Shown {
  readonly second: number
  readonly paused: boolean
  readonly rate: number
  /** The shown problem, empty for none. */
  readonly problem: string
  /** Whether the page has one player, and its audio is the one of the first look. */
  readonly isSame: boolean
}

const SHOWN = `(() => {
  const players = (${FIND_ALL})('narration-player')
  const audio = players[0]?.audio
  const problem = players[0]?.shadowRoot?.querySelector('.problem')
  if (audio) window.firstAudio ??= audio
  return {
    second: audio?.currentTime ?? 0,
    paused: audio?.paused ?? true,
    rate: audio?.playbackRate ?? 1,
    problem: !problem || problem.hidden ? '' : problem.textContent,
    isSame: players.length === 1 && window.firstAudio === audio,
  }
})()`

/** A page with one player. */
export class PlayerPage {
  readonly #page: Page

  private constructor(page: Page) {
    this.#page = page
  }

  /** Opens a page. Its audio comes late by `slowMs`. */
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
    await page.goto(url, { timeout: 180_000 })
    return new PlayerPage(page)
  }

  /** Clicks a button of the player or of the page. */
  async click(name: string): Promise<void> {
    await this.#page.getByRole('button', { name, exact: true }).click()
  }

  /** Presses a key while the play button has the focus. */
  async press(key: string): Promise<void> {
    await this.#page
      .locator('narration-player')
      .getByRole('button', { name: /^(?:Play|Pause)$/ })
      .focus()
    await this.#page.keyboard.press(key)
  }

  async chooseSpeed(speed: string): Promise<void> {
    await this.#page.locator('narration-player').getByRole('combobox', { name: 'Speed' }).selectOption(speed)
  }

  /** What the player shows now. */
  shown(): Promise<Shown> {
    return this.#page.evaluate<Shown>(SHOWN)
  }

  /** Looks every 50 ms until the player shows what it should. @returns all looks */
  async until(isSo: (shown: Shown) => boolean): Promise<readonly Shown[]> {
    const looks: Shown[] = []
    for (let look = 0; look < 400; look += 1) {
      const shown = await this.shown()
      looks.push(shown)
      if (isSo(shown)) return looks
      await this.#page.waitForTimeout(50)
    }
    throw new Error(`The player of ${this.#page.url()} never showed what it should: ${JSON.stringify(looks.at(-1))}`)
  }

  close(): Promise<void> {
    return this.#page.close()
  }
}
