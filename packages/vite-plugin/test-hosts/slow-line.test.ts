import { type NullSink, startNullSink } from '@svc-audio/kit/hosts/null-sink'
import { type Browser, launch } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Line, type SlowLine, startSlowLine } from './support/slow-line.ts'

/** Both in `suite matrix`, Chromium with each commit. */
const isMatrix = process.env['SUITE'] === 'matrix'
const BROWSERS = isMatrix ? (['chromium', 'firefox'] as const) : (['chromium'] as const)
/**
 * Milliseconds between the times at which an action is tried, and pages at once of one action. Chromium tries five actions at
 * once. Firefox stops the timers and the audio of windows that are not seen: it tries one.
 */
const TRIALS = {
  chromium: { stepMs: 100, pages: 2, concurrent: true },
  firefox: { stepMs: 400, pages: 1, concurrent: false },
} as const

/** Lines on which each action is tried, from Play to the end of the load. With each commit, at one time. */
const LINES = [
  { what: 'comes after 1.5 s', how: { lateMs: 1500 }, loadMs: 1600, onceMs: 700 },
  // The second request is a second later.
  { what: 'comes after 1.5 s and drops once', how: { lateMs: 1500, drops: true }, loadMs: 2800, onceMs: 1600 },
] satisfies readonly {
  readonly what: string
  readonly how: Line
  readonly loadMs: number
  readonly onceMs: number
}[]

/** What a reader does while the audio loads, and what is so once it has come. */
interface Action {
  readonly what: string
  /** Code for the page. */
  readonly code: string
  /** Where the audio then plays, in seconds. @default 0 */
  readonly second?: number
  /** @default 1 */
  readonly rate?: number
  /** @default false */
  readonly paused?: boolean
  /** Whether captions are shown. @default true */
  readonly captions?: boolean
}

/** Every button, menu, slider and key. */
const ACTIONS: readonly Action[] = [
  { what: 'Next paragraph', code: `button('Next paragraph').click()`, second: 10 },
  {
    what: 'Next and Previous paragraph',
    code: `for (const _ of [1, 2]) button('Next paragraph').click(); button('Previous paragraph').click()`,
    second: 10,
  },
  {
    what: '+15 and −15',
    code: `for (const name of ['Forward', 'Forward', 'Back']) button(name + ' 15 seconds').click()`,
    second: 15,
  },
  { what: 'the slider', code: `slide(42)`, second: 42 },
  { what: 'the menu of sections', code: `choose('sections', 1)`, second: 20 },
  { what: 'the menu of speeds', code: `choose('speed', 5)`, rate: 2 },
  { what: 'CC', code: `button('CC, captions').click()`, captions: false },
  { what: 'Pause', code: `(await named('Pause')).click()`, paused: true },
  { what: 'Pause and Play', code: `(await named('Pause')).click(); button('Play').click()` },
  { what: 'a click on a paragraph', code: `document.querySelectorAll('p')[1].click()`, second: 30 },
  { what: '→ three times', code: `for (const _ of [1, 2, 3]) key('ArrowRight')`, second: 15 },
  { what: '→ and ←', code: `key('ArrowRight'); key('ArrowRight'); key('ArrowLeft')`, second: 5 },
  { what: '←', code: `key('ArrowLeft')` },
  { what: 'Shift with →', code: `for (const _ of [1, 2, 3]) key('ArrowRight', { shiftKey: true })`, second: 30 },
  {
    what: 'Shift with → and ←',
    code: `for (const name of ['Right', 'Right', 'Left']) key('Arrow' + name, { shiftKey: true })`,
    second: 10,
  },
  { what: 'L and J', code: `key('l'); key('l'); key('j')`, second: 15 },
  { what: '>', code: `key('>')`, rate: 1.25 },
  { what: '<', code: `key('<')`, rate: 0.75 },
  { what: 'C', code: `key('c')`, captions: false },
  { what: 'K', code: `key('k')`, paused: true },
  { what: 'K twice', code: `key('k'); key('k')` },
  { what: 'Space on the slider, twice', code: `for (const _ of [1, 2]) key(' ', {}, root.querySelector('input'))` },
  { what: 'the slider and K', code: `slide(42); key('k')`, second: 42, paused: true },
  {
    what: 'the slider, +15 and >',
    code: `slide(20); button('Forward 15 seconds').click(); key('>')`,
    second: 35,
    rate: 1.25,
  },
]

/** When the audio of each line has come, in milliseconds after Play. */
const LOADED_MS = 3500

/** Functions of the page. */
const TOOLS = `
  await customElements.whenDefined('narration-player')
  const player = document.querySelector('narration-player')
  const root = player.shadowRoot
  const button = (name) => root.querySelector('button[aria-label="' + name + '"]')
  // A name of a button follows an event of the audio.
  const named = async (name) => {
    while (button(name) === null) await new Promise((resolve) => setTimeout(resolve, 1))
    return button(name)
  }
  const key = (name, more, target = root.querySelector('button')) => target.dispatchEvent(
    new KeyboardEvent('keydown', { key: name, bubbles: true, composed: true, ...more }))
  const slide = (second) => {
    const input = root.querySelector('input')
    input.value = second
    input.dispatchEvent(new Event('input'))
  }
  const choose = (part, index) => {
    const menu = root.querySelector('[part=' + part + ']')
    menu.selectedIndex = index
    menu.dispatchEvent(new Event('change'))
  }`

interface Heard {
  readonly second: number
  readonly paused: boolean
  readonly rate: number
  readonly captions: boolean
  readonly problem: string
  /** What the player showed right after the action. */
  readonly shown: string
}

describe.each(BROWSERS)('%s', (name) => {
  let browser: Browser
  let line: SlowLine
  let sink: NullSink | undefined
  beforeAll(async () => {
    line = await startSlowLine()
    if (name === 'firefox') sink = await startNullSink()
    browser = await (name === 'firefox'
      ? launch({
          browser: 'firefox',
          executablePath: process.env['FIREFOX'] ?? '/usr/bin/firefox-esr',
          extraPrefsFirefox: { 'media.autoplay.default': 0 },
          env: { ...process.env, ...sink?.env },
        })
      : launch({
          executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
          args: ['--no-sandbox', '--disable-gpu', '--autoplay-policy=no-user-gesture-required'],
        }))
  })
  afterAll(async () => {
    await browser?.close()
    await line?.close()
    await sink?.close()
  })

  /**
   * Presses Play, runs code after some milliseconds, and tells what is heard once the audio has come.
   * @param shallPause Whether the code ends with a pause. Play is pressed again once the audio has come.
   */
  async function hear(code: string, afterMs: number, how: Line, shallPause = false): Promise<Heard> {
    // Of the pages of one window, a browser loads audio for the one that is seen.
    const window = await browser.createBrowserContext()
    try {
      const page = await window.newPage()
      await page.goto(line.page(how))
      return (await page.evaluate(`(async () => {${TOOLS}
        const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
        // The captions have come.
        while (!(root.querySelector('input').max > 50)) await wait(20)
        button('Play').click()
        await wait(${afterMs});
        ${code}
        const shown = root.querySelector('.time').textContent
        const { audio } = player
        const shallPause = ${String(shallPause)}
        // One that shall be paused is so after the load, and Play plays it then.
        if (shallPause) await wait(${LOADED_MS - afterMs})
        const { paused } = audio
        if (shallPause) button('Play').click()
        const problem = root.querySelector('.problem')
        // A problem goes with the event that tells that it plays.
        const waits = () => audio.readyState < 3 || audio.seeking || audio.paused || !problem.hidden
        for (let look = 0; look < 1200 && waits(); look += 1) await wait(50)
        return { second: audio.currentTime, paused: shallPause ? paused : audio.paused, rate: audio.playbackRate, shown,
          captions: !root.querySelector('.caption').hidden,
          problem: problem.hidden ? '' : problem.textContent }
      })()`)) as Heard
    } finally {
      await window.close()
    }
  }

  describe.each(LINES)('audio that $what', ({ how, loadMs, onceMs }) => {
    const { stepMs, pages, concurrent } = TRIALS[name]
    const times = isMatrix ? Array.from({ length: loadMs / stepMs + 1 }, (_, index) => index * stepMs) : [onceMs]
    test.each(ACTIONS)(
      '$what while the audio loads is what the audio does once it has come, whenever it is pressed',
      { concurrent },
      async ({ code, second = 0, rate = 1, paused = false, captions = true }) => {
        for (let from = 0; from < times.length; from += pages) {
          const some = times.slice(from, from + pages)
          const all = await Promise.all(some.map((time) => hear(code, time, how, paused)))
          for (const [index, heard] of all.entries()) {
            const at = some[index]
            expect({ at, ...heard }).toMatchObject({ at, paused, rate, captions, problem: '' })
            expect([at, heard.second >= second - 0.01 && heard.second < second + 5, heard.second]).toEqual([
              at,
              true,
              heard.second,
            ])
          }
        }
      },
    )
  })

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
