import { type Browser, launch } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Line, type SlowLine, startSlowLine } from './support/slow-line.ts'

/** Both in `suite matrix`, Chromium with each commit. */
const isMatrix = process.env['SUITE'] === 'matrix'
const BROWSERS = isMatrix ? (['chromium', 'firefox'] as const) : (['chromium'] as const)
/** Milliseconds between Play and the action, to the end of the load. */
const TIMES = Array.from({ length: isMatrix ? 17 : 6 }, (_, index) => index * (isMatrix ? 100 : 300))
const LATE: Line = { lateMs: 1500 }

/** What a reader does while the audio loads: code for the page, and the second at which the audio then plays. */
const ACTIONS = [
  { what: 'Next paragraph', code: `button('Next paragraph').click()`, second: 10 },
  { what: '→ three times', code: `for (const _ of [1, 2, 3]) key('ArrowRight')`, second: 15 },
  { what: '→ and ←', code: `key('ArrowRight'); key('ArrowRight'); key('ArrowLeft')`, second: 5 },
  { what: 'Shift with →', code: `for (const _ of [1, 2, 3]) key('ArrowRight', { shiftKey: true })`, second: 30 },
  { what: 'the slider', code: `slide(42)`, second: 42 },
  { what: 'a click on a paragraph', code: `document.querySelectorAll('p')[1].click()`, second: 30 },
  { what: '←', code: `key('ArrowLeft')`, second: 0 },
  {
    what: '+15 and −15',
    code: `for (const name of ['Forward', 'Forward', 'Back']) button(name + ' 15 seconds').click()`,
    second: 15,
  },
  { what: 'the menu of sections', code: `choose(1)`, second: 20 },
  { what: '>', code: `key('>')`, second: 0, rate: 1.25 },
  { what: 'K twice', code: `key('k'); key('k')`, second: 0 },
]

/** Functions of the page. */
const TOOLS = `
  await customElements.whenDefined('narration-player')
  const player = document.querySelector('narration-player')
  const root = player.shadowRoot
  const button = (name) => root.querySelector('button[aria-label="' + name + '"]')
  const key = (name, more) => root.querySelector('button').dispatchEvent(
    new KeyboardEvent('keydown', { key: name, bubbles: true, composed: true, ...more }))
  const slide = (second) => {
    const input = root.querySelector('input')
    input.value = second
    input.dispatchEvent(new Event('input'))
  }
  const choose = (index) => {
    const menu = root.querySelector('[part=sections]')
    menu.selectedIndex = index
    menu.dispatchEvent(new Event('change'))
  }`

interface Heard {
  readonly second: number
  readonly paused: boolean
  readonly rate: number
  readonly problem: string
  /** What the player showed right after the action. */
  readonly shown: string
}

describe.each(BROWSERS)('%s', (name) => {
  let browser: Browser
  let line: SlowLine
  beforeAll(async () => {
    line = await startSlowLine()
    browser = await (name === 'firefox'
      ? launch({
          browser: 'firefox',
          executablePath: process.env['FIREFOX'] ?? '/usr/bin/firefox-esr',
          extraPrefsFirefox: { 'media.autoplay.default': 0 },
        })
      : launch({
          executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
          args: ['--no-sandbox', '--disable-gpu', '--autoplay-policy=no-user-gesture-required'],
        }))
  })
  afterAll(async () => {
    await browser?.close()
    await line?.close()
  })

  /** Presses Play, runs code after some milliseconds, and tells what is heard once the audio has come. */
  async function hear(code: string, afterMs: number, how: Line): Promise<Heard> {
    const page = await browser.newPage()
    try {
      await page.goto(line.page(how))
      return (await page.evaluate(`(async () => {${TOOLS}
        const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
        // The captions have come.
        while (!(root.querySelector('input').max > 50)) await wait(20)
        button('Play').click()
        await wait(${afterMs})
        ${code}
        const shown = root.querySelector('.time').textContent
        const { audio } = player
        // One that is paused by mistake stays so.
        for (let look = 0; look < 100 && (audio.readyState < 3 || audio.seeking || audio.paused); look += 1) await wait(50)
        const problem = root.querySelector('.problem')
        return { second: audio.currentTime, paused: audio.paused, rate: audio.playbackRate, shown,
          problem: problem.hidden ? '' : problem.textContent }
      })()`)) as Heard
    } finally {
      await page.close()
    }
  }

  test.each(ACTIONS)(
    '$what while the audio loads plays at the right place, whenever it is pressed',
    async ({ code, second, rate = 1 }) => {
      for (let from = 0; from < TIMES.length; from += 6) {
        const heard = await Promise.all(TIMES.slice(from, from + 6).map((time) => hear(code, time, LATE)))
        for (const one of heard) {
          expect(one).toMatchObject({ paused: false, rate, problem: '' })
          expect(one.second).toBeGreaterThanOrEqual(second - 0.01)
          expect(one.second).toBeLessThan(second + 5)
        }
      }
    },
  )

  test.each(['open', 'closed'])('a player in a shadow root that is %s plays, and pauses another one', async (mode) => {
    const page = await browser.newPage()
    try {
      await page.goto(line.page({ lateMs: 0 }))
      const paused = await page.evaluate(`(async () => {${TOOLS}
        const other = player.cloneNode(true)
        document.body.append(other)
        const host = document.body.appendChild(document.createElement('div'))
        host.attachShadow({ mode: '${mode}' }).append(player)
        const plays = async (one) => {
          const playing = new Promise((resolve) => one.audio.addEventListener('playing', resolve, { once: true }))
          one.shadowRoot.querySelector('button').click()
          await playing
          return [player.audio.paused, other.audio.paused]
        }
        return [await plays(other), await plays(player), await plays(other)]
      })()`)
      expect(paused).toEqual([
        [true, false],
        [false, true],
        [true, false],
      ])
    } finally {
      await page.close()
    }
  })

  test('audio whose connection drops is loaded again, and plays at the place that was chosen', async () => {
    const dropped: Line = { lateMs: 300, drops: true }
    for (const code of ['', `slide(42)`]) {
      const heard = await hear(code, 100, dropped)
      expect(heard).toMatchObject({ paused: false, problem: '' })
      expect(heard.second).toBeGreaterThanOrEqual(code === '' ? 0 : 41.99)
    }
  })

  test.each([
    { what: 'a click on a late paragraph', code: `document.querySelectorAll('p')[2].click()`, second: 40 },
    { what: 'the slider', code: `slide(42)`, second: 42 },
    { what: 'a key after the audio has come', code: `await wait(800); key('l'); key('l')`, second: 30 },
  ])('from a server without ranges, $what plays at the right place', async ({ code, second }) => {
    const heard = await hear(code, 0, { lateMs: 100, ignoresRange: true })
    expect(heard).toMatchObject({ paused: false, problem: '' })
    expect(heard.second).toBeGreaterThanOrEqual(second - 0.01)
    expect(heard.second).toBeLessThan(second + 5)
  })

  test('after failed requests Play works again, and no problem is shown before the last of them', async () => {
    const once = await hear('', 0, { lateMs: 0, failures: 2 })
    expect(once).toMatchObject({ paused: false, problem: '' })
    const shown = `for (let look = 0; look < 100 && root.querySelector('.problem').hidden; look += 1) await wait(50)
      const said = root.querySelector('.problem').textContent
      button('Play').click()
      if (!said.startsWith('This narration cannot be played')) throw new Error(said)`
    expect(await hear(shown, 0, { lateMs: 0, failures: 3 })).toMatchObject({ paused: false, problem: '' })
  })
})
