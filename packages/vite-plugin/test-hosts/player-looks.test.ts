import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser } from './support/player-page.ts'
import { type SlowLine, startSlowLine } from './support/slow-line.ts'

/** A folder for pictures to look at: `PLAYER_PICTURES=/tmp/x`. */
const PICTURES = process.env['PLAYER_PICTURES']

let browser: Browser
let line: SlowLine
beforeAll(async () => {
  line = await startSlowLine()
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await line?.close()
})

/** What a reader's browser is like. */
interface Look {
  readonly name: string
  readonly width?: number
  readonly direction?: 'ltr' | 'rtl'
  readonly forcedColors?: 'active'
  readonly colorScheme?: 'dark'
}

/** Opens a page with a player that has played a bit. */
async function show({ name, width = 1280, direction = 'ltr', ...media }: Look): Promise<Page> {
  const page = await browser.newPage({ viewport: { width, height: 700 }, ...media })
  await page.goto(line.page({ lateMs: 0 }))
  await page.evaluate(`document.documentElement.dir = '${direction}'`)
  const player = page.locator('narration-player')
  await player.getByRole('button', { name: 'Play' }).click()
  await page.waitForFunction("document.querySelector('narration-player').audio.currentTime > 0.2")
  await player.getByRole('combobox', { name: 'Sections' }).selectOption({ index: 1 })
  await page.locator('[data-narration-current]').waitFor()
  await player.getByRole('button', { name: 'Pause' }).click()
  if (PICTURES !== undefined) await page.screenshot({ path: join(PICTURES, `${name}.png`) })
  return page
}

/** How many colors an element shows. An element that cannot be seen has one. */
async function colorsOf(page: Page, element: Locator): Promise<number> {
  const image = (await element.screenshot()).toString('base64')
  return page.evaluate(`(async () => {
    const bitmap = await createImageBitmap(await (await fetch('data:image/png;base64,${image}')).blob())
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
    canvas.drawImage(bitmap, 0, 0)
    const { data } = canvas.getImageData(0, 0, bitmap.width, bitmap.height)
    const colors = new Set()
    for (let at = 0; at < data.length; at += 4) colors.add(data.slice(at, at + 3).join())
    return colors.size
  })()`)
}

test.each<Look>([
  { name: 'wide' },
  { name: 'phone', width: 390 },
  { name: 'phone-rtl', width: 390, direction: 'rtl' },
  { name: 'forced-colors', forcedColors: 'active' },
  { name: 'forced-colors-dark', forcedColors: 'active', colorScheme: 'dark' },
])('all parts of the player are in the window and can be seen: $name', async (look) => {
  const page = await show(look)
  const width = look.width ?? 1280
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
  const player = page.locator('narration-player')
  const time = "document.querySelector('narration-player').shadowRoot.querySelector('.time')"
  expect(await page.evaluate(`getComputedStyle(${time}).direction`)).toBe('ltr')
  const places = ['Play', 'Previous paragraph', 'Back 15 seconds', 'Forward 15 seconds', 'Next paragraph'].map(
    async (name) => (await player.getByRole('button', { name }).boundingBox())?.x ?? 0,
  )
  const buttons = await Promise.all(places)
  expect(buttons).toEqual(buttons.toSorted((left, right) => left - right))
  const parts = await player.locator('button, select, input').all()
  expect(parts).toHaveLength(9)
  for (const part of parts) {
    const box = await part.boundingBox()
    expect([
      await part.getAttribute('aria-label'),
      (box?.x ?? -1) >= 0,
      (box?.x ?? 0) + (box?.width ?? 0) <= width,
    ]).toEqual([expect.any(String), true, true])
    expect(await colorsOf(page, part)).toBeGreaterThan(1)
  }
  await page.close()
})

test('with forced colors the marked paragraph and a pressed button differ from others', async () => {
  const page = await show({ name: 'forced-colors-marks', forcedColors: 'active' })
  const outline = (selector: string): Promise<string> =>
    page.evaluate(`getComputedStyle(document.querySelector('${selector}')).outlineStyle`)
  expect([await outline('[data-narration-current]'), await outline('#post > :not([data-narration-current])')]).toEqual([
    'solid',
    'none',
  ])
  const captions = page.locator('narration-player').getByRole('button', { name: 'CC, captions' })
  const pressed = await captions.screenshot()
  await captions.click()
  await page.mouse.move(0, 0)
  expect((await captions.screenshot()).equals(pressed)).toBe(false)
  await page.close()
})

test('a printed page has no player and no mark', async () => {
  const page = await show({ name: 'before-print' })
  await page.emulateMedia({ media: 'print' })
  if (PICTURES !== undefined) await page.screenshot({ path: join(PICTURES, 'print.png') })
  expect(await page.locator('narration-player').isVisible()).toBe(false)
  expect(await page.evaluate("getComputedStyle(document.querySelector('[data-narration-current]')).boxShadow")).toBe(
    'none',
  )
  await page.close()
})
