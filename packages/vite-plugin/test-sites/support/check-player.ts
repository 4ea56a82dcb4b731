import type { Browser } from 'playwright-core'
import { expect } from 'vitest'
import { listen, PlayerPage } from '../../test-hosts/support/player-page.ts'

/** How a page moves its player. */
export interface Moves {
  /** Buttons that move the player to another place: it plays on. */
  readonly move?: readonly string[]
  /** Button that takes the player from the page, and brings it back at the second click: it pauses and keeps its place. */
  readonly leave?: string
}

/** The suite of the player, in a page with the three paragraphs of `post.md`: keys, captions, clicks, axe, moves, slow lines. */
export async function checkPlayer(browser: Browser, url: string, moves: Moves = {}): Promise<void> {
  await listen(browser, url)
  if (moves.move !== undefined) await checkMoves(browser, url, moves.move)
  if (moves.leave !== undefined) await checkLeave(browser, url, moves.leave)
  await checkSlow(browser, url)
}

/** A player that is moved plays on, with its speed, and handles each key once. */
async function checkMoves(browser: Browser, url: string, buttons: readonly string[]): Promise<void> {
  const page = await PlayerPage.open(browser, url)
  await page.click('Play')
  await page.chooseSpeed('1.5')
  await page.until(({ second }) => second > 0.3)
  for (const button of [...buttons, ...buttons]) {
    const before = await page.shown()
    await page.click(button)
    const [after] = await page.until(({ second }) => second > before.second)
    expect(after).toMatchObject({ paused: false, rate: 1.5, isSame: true, problem: '' })
  }
  await checkKeys(page)
  await page.close()
}

/** A player that is removed and comes back keeps its place and its speed. */
async function checkLeave(browser: Browser, url: string, button: string): Promise<void> {
  const page = await PlayerPage.open(browser, url)
  await page.click('Play')
  await page.chooseSpeed('1.5')
  await page.until(({ second }) => second > 0.3)
  const before = await page.shown()
  await page.click(button)
  await page.click(button)
  const after = await page.shown()
  expect(after).toMatchObject({ paused: true, rate: 1.5, isSame: true, problem: '' })
  expect(after.second).toBeGreaterThanOrEqual(before.second)
  await page.click('Play')
  await page.until(({ second, paused }) => !paused && second > after.second)
  await checkKeys(page)
  await page.close()
}

/** K pauses, and an arrow goes 5 seconds: a key that is handled twice does nothing, or goes 10. */
async function checkKeys(page: PlayerPage): Promise<void> {
  await page.press('k')
  await page.until(({ paused }) => paused)
  const { second } = await page.shown()
  await page.press('ArrowRight')
  await page.until((shown) => shown.second > second)
  expect((await page.shown()).second).toBeCloseTo(second + 5, 1)
}

/** Audio that comes after three seconds: a double click plays and pauses, and nothing is called a failure. */
async function checkSlow(browser: Browser, url: string): Promise<void> {
  const page = await PlayerPage.open(browser, url, 3000)
  await page.click('Play')
  await page.click('Pause')
  const waiting = [await page.shown()]
  await page.click('Play')
  waiting.push(...(await page.until(({ second }) => second > 0.2)))
  expect(new Set(waiting.map(({ problem }) => problem))).toEqual(new Set(['']))
  expect(waiting.at(-1)).toMatchObject({ paused: false, isSame: true })
  await page.close()
}
