import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking']

/** Chromium as Debian packages it, or the one that `CHROMIUM` names. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium', args: FLAGS })
}

/** State of the player of a page. */
interface Shown {
  readonly second: number
  readonly duration: number
  readonly paused: boolean
  readonly caption: string
  readonly current: string
}

/**
 * Operates the player of a page: it plays, captions are painted and follow, the paragraph is marked, keys and clicks work,
 * and axe finds no violation.
 * @param ending How the address of the audio ends.
 */
export async function listen(browser: Browser, url: string, ending = ''): Promise<void> {
  const page = await browser.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('response', (response) => {
    if (response.status() >= 400 && !response.url().includes('favicon'))
      problems.push(`${response.status()} ${response.url()}`)
  })
  // A dev server bundles the dependencies of a framework at the first request.
  await page.goto(url, { timeout: 180_000 })
  const play = page.locator('narration-player').getByRole('button', { name: 'Play', exact: true })
  await play.click({ timeout: 180_000 })
  await until(page, ({ second, caption, current }) => second > 0.05 && caption !== '' && /The harbour/.test(current))

  // The second paragraph by the keyboard, the last by a click.
  await until(page, ({ duration }) => Number.isFinite(duration) && duration > 3)
  await page.locator('narration-player').getByRole('button', { name: 'Next paragraph' }).focus()
  await page.keyboard.press('Shift+ArrowRight')
  await until(page, ({ caption, current }) => caption === 'The boat leaves at nine.' && /boat/.test(current))
  await page.locator('p', { hasText: 'It takes about an hour.' }).last().click()
  await until(page, ({ caption, paused }) => caption === 'It takes about an hour.' && !paused)
  await page.locator('narration-player').getByRole('combobox', { name: 'Speed' }).selectOption('2')
  await page.locator('narration-player').getByRole('button', { name: 'Pause' }).focus()
  await page.keyboard.press('k')
  await until(page, ({ paused }) => paused)
  expect(await page.evaluate(`(${FIND_ALL})('narration-player')[0].audio.playbackRate`)).toBe(2)

  expect(await page.evaluate(`(${FIND_ALL})('narration-player')[0].audio.currentSrc`)).toSatisfy((src: string) =>
    src.endsWith(ending),
  )

  await page.evaluate(await readFile(fileURLToPath(import.meta.resolve('axe-core')), 'utf8'))
  const found = await page.evaluate<string[]>(`
    axe.run((${FIND_ALL})('main, narration-player')).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`)
  expect(found).toEqual([])
  expect(problems).toEqual([])
  await page.close()
}

/** A function for a page: all elements of a selector, also those in shadow roots. */
export const FIND_ALL = `(selector, root = document) => {
  const inside = (at) => [
    ...at.querySelectorAll(selector),
    ...[...at.querySelectorAll('*')].flatMap(({ shadowRoot }) => (shadowRoot ? inside(shadowRoot) : [])),
  ]
  return inside(root)
}`

const SHOWN = `(() => {
  const all = ${FIND_ALL}
  const root = all('narration-player')[0]?.shadowRoot
  const audio = root?.querySelector('audio')
  return {
    second: audio?.currentTime ?? 0,
    duration: audio?.duration ?? NaN,
    paused: audio?.paused ?? true,
    caption: root?.querySelector('.caption')?.textContent ?? '',
    current: all('[data-narration-current]')[0]?.textContent ?? '',
  }
})()`

/** Waits for a state of the player. The error contains the last state. */
async function until(page: Page, isSo: (shown: Shown) => boolean): Promise<void> {
  let shown: Shown | undefined
  for (let look = 0; look < 200; look += 1) {
    shown = await page.evaluate<Shown>(SHOWN)
    if (isSo(shown)) return
    await page.waitForTimeout(100)
  }
  throw new Error(`The player of ${page.url()} never showed what it should: ${JSON.stringify(shown)}`)
}
