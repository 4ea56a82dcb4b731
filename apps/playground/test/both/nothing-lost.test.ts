import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { AudioClient } from '@svc-audio/core'
import { encodeWav } from '@svc-audio/core/audio'
import type { Browser, Page } from 'puppeteer-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { BROWSERS, launchEither } from '../support/both-browsers.ts'
import { startTestPlayground, type TestPlayground } from '../support/playground.ts'

const SAID = 'He opened the door and walked into the room with a letter in his hand.'

/** Bytes of a long recording: the page transcribes it by a task. */
const LONG_BYTES = 10_500_000

const SHARES = [10, 20, 30, 40, 50, 60, 70, 80, 90] as const

let playground: TestPlayground
let folder: string
/** Milliseconds that the service takes for the long recording, from the upload to the row. */
let longMs = 0
const table: string[] = []

beforeAll(async () => {
  playground = await startTestPlayground()
  folder = await mkdtemp(join(tmpdir(), 'nothing-lost-'))
  await using client = new AudioClient({ apiKey: playground.apiKey, baseUrl: playground.serviceUrl })
  const body = { model: 'svc-tts-1.5-flash', input: SAID, voice_id: 'rms', response_format: 'wav' } as const
  const wav = await (await client.speech.create(body)).bytes()
  for (let number = 0; number < 10; number += 1) await writeFile(join(folder, `talk-${number}.wav`), wav)
  const [sampleRate, samples] = [new DataView(wav.buffer, wav.byteOffset).getUint32(24, true), wav.subarray(44)]
  const whole = Buffer.concat(Array.from({ length: Math.ceil(LONG_BYTES / samples.byteLength) }, () => samples))
  await writeFile(join(folder, 'long.wav'), encodeWav({ sampleRate, channels: 1, bitDepth: 16 }, [whole]))
})
afterAll(async () => {
  await playground?.close()
  await rm(folder, { recursive: true, force: true })
  console.log(`\n${table.join('\n')}`)
})

/** What the page knows of its work. */
interface Row {
  readonly name?: string
  readonly work?: { readonly state: string; readonly failure?: string }
  readonly result?: { readonly text: string; readonly turns: readonly { readonly text: string }[] }
  readonly end?: string
}

/** A page of a person, and whether the browser asked before it was left. */
class Visit {
  readonly browser: Browser
  page!: Page
  asked = 0
  readonly #origin: string

  constructor(browser: Browser, origin: string) {
    this.browser = browser
    this.#origin = origin
  }

  async open(path: string, prepare?: (page: Page) => Promise<unknown>): Promise<void> {
    this.page = await this.browser.newPage()
    this.page.setDefaultTimeout(120_000)
    this.page.on('dialog', (dialog) => {
      this.asked += 1
      void dialog.accept()
    })
    await prepare?.(this.page)
    // "Back" leads out of the page.
    await this.page.goto(`${playground.serviceUrl}/healthz`)
    await this.page.goto(this.#origin + path)
  }

  /** Walks in the history. Firefox restores a page without a load, so nothing but its address tells. */
  async walk(way: 'back' | 'forward', to: string): Promise<void> {
    await this.page.evaluate(`void setTimeout(() => history.${way}())`)
    const address = async (): Promise<string> => String(await this.page.evaluate('location.href').catch(() => ''))
    await vi.waitUntil(async () => (await address()).startsWith(to), { timeout: 60_000, interval: 200 })
  }

  async give(...names: readonly string[]): Promise<void> {
    const input = await this.page.waitForSelector('input[type=file]')
    if (input === null) throw new Error('The page takes no file')
    await input.uploadFile(...names.map((name) => join(folder, name)))
  }

  /** The rows that the browser stores. */
  async rows(name = 'transcripts'): Promise<readonly Row[]> {
    const stored = await this.page.evaluate(`localStorage.getItem('svc-audio.${name}')`)
    return JSON.parse(typeof stored === 'string' ? stored : '[]')
  }

  async text(): Promise<string> {
    return String(await this.page.evaluate("document.querySelector('main')?.innerText ?? ''"))
  }

  /** How so many recordings ended: `text`, `no text` or `failed`. Waits while one of them is not over. */
  async ends(count: number): Promise<readonly string[]> {
    const states = async (): Promise<readonly string[]> =>
      (await this.rows()).map(({ work, result }) => {
        if (work !== undefined) return work.state
        return /opened the door/i.test(result?.text || (result?.turns[0]?.text ?? '')) ? 'text' : 'no text'
      })
    const end = performance.now() + 300_000
    for (;;) {
      const found = await states()
      const isOver = found.length >= count && !found.some((state) => ['waiting', 'running'].includes(state))
      if (isOver || performance.now() > end) return found
      await setTimeout(500)
    }
  }

  /** Waits for so many rows: the work has begun. */
  async hasRows(count = 1, name = 'transcripts'): Promise<void> {
    const end = performance.now() + 120_000
    while ((await this.rows(name)).length < count) {
      if (performance.now() > end) throw new Error(`There are no ${count} rows of ${name}: ${await this.text()}`)
      await setTimeout(50)
    }
  }

  /** Waits until the browser has stored the audio of so many rows. Until then, it asks before the page is closed. */
  async hasAudio(count = 1): Promise<void> {
    await this.hasRows(count)
    const stored = `Promise.resolve().then(async () => {
      const caught = await Promise.all((await caches.keys()).map(async (name) => (await caches.open(name)).keys()))
      return caught.flat().length
    })`
    await vi.waitUntil(async () => Number(await this.page.evaluate(stored)) >= count, { timeout: 60_000 })
  }

  async press(name: string): Promise<void> {
    await this.page.locator(`aria/${name}[role="button"]`).click()
  }
}

/** Fills the form of Speak before its page is opened. */
function drafting(draft: object): (page: Page) => Promise<unknown> {
  const stored = JSON.stringify(JSON.stringify(draft))
  return (page) => page.evaluateOnNewDocument(`try { localStorage.setItem('svc-audio.speak', ${stored}) } catch {}`)
}

const texts = (count: number): readonly string[] => Array.from({ length: count }, () => 'text')

describe.each(BROWSERS)('in %s', (name) => {
  let browser: Browser
  let visit: Visit
  beforeEach(async () => {
    // A new profile: the rows of one test are not those of another.
    browser = await launchEither(name, {})
    visit = new Visit(browser, playground.url)
  })
  afterEach(() => browser?.close())

  const note = (what: string, outcome: string): void => {
    table.push(`${name.padEnd(9)} ${what.padEnd(44)} asked ${visit.asked}  ${outcome}`)
  }

  test('reload', async () => {
    await visit.open('/transcribe')
    await visit.give('talk-0.wav')
    await visit.hasAudio()
    await visit.page.reload()
    expect(await visit.ends(1)).toEqual(texts(1))
    expect(visit.asked).toBe(0)
    note('reload', 'goes on by itself: text')
  })

  test('back, and forward again', async () => {
    await visit.open('/transcribe')
    await visit.give('talk-0.wav')
    await visit.hasAudio()
    await visit.walk('back', playground.serviceUrl)
    await visit.walk('forward', playground.url)
    expect(await visit.ends(1)).toEqual(texts(1))
    note('back and forward', 'goes on by itself: text')
  })

  test('close and reopen', async () => {
    await visit.open('/transcribe')
    await visit.give('talk-0.wav')
    await visit.hasAudio()
    await visit.page.close({ runBeforeUnload: false })
    await visit.open('/transcribe')
    expect(await visit.ends(1)).toEqual(texts(1))
    note('close and reopen', 'goes on by itself: text')
  })

  test('a second file', async () => {
    await visit.open('/transcribe')
    await visit.give('talk-0.wav')
    await visit.hasRows()
    await visit.give('talk-1.wav')
    expect(await visit.ends(2)).toEqual(texts(2))
    note('second file', 'both have their text')
  })

  test('ten files, and a reload in their middle', async () => {
    await visit.open('/transcribe')
    await visit.give(...Array.from({ length: 10 }, (_, number) => `talk-${number}.wav`))
    await visit.hasAudio(10)
    await visit.page.reload()
    expect(await visit.ends(10)).toEqual(texts(10))
    note('ten files, reload', 'all have their text')
  })

  test('a long recording by a task, without a fault', async () => {
    await visit.open('/transcribe')
    const begin = performance.now()
    await visit.give('long.wav')
    expect(await visit.ends(1)).toEqual(texts(1))
    longMs = performance.now() - begin
    note('long recording', `text after ${(longMs / 1000).toFixed(0)} s`)
  })

  test.each(SHARES)('the service is killed at %i %% of a long recording, and starts again', async (share) => {
    await visit.open('/transcribe')
    await visit.give('long.wav')
    await visit.hasRows()
    await setTimeout((longMs * share) / 100)
    await playground.signalService('SIGKILL')
    const [end] = await visit.ends(1)
    const [row] = await visit.rows()
    // A connection that is lost says so in its row, and Retry repeats it.
    if (end === 'failed') await visit.page.locator('aria/Retry long.wav[role="button"]').click()
    if (end === 'failed') await setTimeout(1000)
    expect(await visit.ends(1)).toEqual(texts(1))
    note(
      `killed at ${share} %`,
      end === 'failed' ? `"${row?.work?.failure ?? ''}", Retry: text` : 'goes on by itself: text',
    )
  })

  test('a wrong key', async () => {
    // The service may still be starting after the test before.
    await expect
      .poll(async () => (await fetch(`${playground.serviceUrl}/readyz`)).status, { timeout: 60_000 })
      .toBe(200)
    const refused = await startTestPlayground(playground.serviceUrl)
    try {
      visit = new Visit(browser, refused.url)
      await visit.open('/transcribe')
      await visit.give('talk-0.wav')
      await expect.poll(async () => (await visit.rows())[0]?.work?.state, { timeout: 120_000 }).toBe('failed')
      await visit.page.reload()
      await expect.poll(() => visit.text()).toContain('Not transcribed')
      const [row] = await visit.rows()
      expect(row?.work?.failure).toMatch(/key/i)
      await visit.page.locator('aria/Retry talk-0.wav[role="button"]').wait()
      note('wrong key, reload', `row with Retry: "${row?.work?.failure ?? ''}"`)
    } finally {
      await refused.close()
    }
  })

  test('a full disk', async () => {
    const fill = (page: Page): Promise<unknown> =>
      page.evaluateOnNewDocument(
        "Cache.prototype.put = () => Promise.reject(new DOMException('Quota exceeded', 'QuotaExceededError'))",
      )
    await visit.open('/transcribe', fill)
    await visit.give('long.wav', 'talk-0.wav')
    await visit.hasRows(2)
    // Browsers ask only people who have touched the page.
    await visit.page.mouse.click(5, 5)
    expect(await visit.ends(2)).toEqual(texts(2))
    note('disk quota full', 'both have their text while the page is open')
  })

  test('a reload while a speech arrives', async () => {
    await visit.open('/speak', drafting({ text: `${SAID} `.repeat(40) }))
    await visit.press('Speak')
    await visit.hasRows(1, 'takes')
    await visit.page.reload()
    await expect.poll(() => visit.text(), { timeout: 60_000 }).toContain('Not spoken. The page was closed')
    await visit.press('Speak again')
    await expect.poll(async () => (await visit.rows('takes'))[0]?.end, { timeout: 240_000 }).toBe('complete')
    note('speech, reload', '"The page was closed …", Speak again: audio')
  })

  test('a reload while a long file is made', async () => {
    await visit.open('/speak', drafting({ text: `${SAID} `.repeat(60), output: 'mp3' }))
    await visit.press('Speak')
    await expect.poll(async () => (await visit.rows('takes'))[0]?.end, { timeout: 60_000 }).toBe('open')
    await setTimeout(1000)
    await visit.page.reload()
    await expect.poll(async () => (await visit.rows('takes'))[0]?.end, { timeout: 240_000 }).toBe('complete')
    note('long MP3, reload', 'goes on by itself: audio')
  })

  test('a reload while a dialogue is made', async () => {
    await visit.open('/dialogue')
    await visit.press('Speak all')
    await visit.hasRows(1, 'dialogues')
    await visit.page.reload()
    await expect
      .poll(async () => (await visit.rows('dialogues'))[0]?.end, { timeout: 60_000 })
      .toMatch(/failed|complete/)
    const [left] = await visit.rows('dialogues')
    if (left?.end === 'failed') {
      await visit.page.locator('section[aria-label=History] button[aria-label^="Retry"]').click()
    }
    await expect.poll(async () => (await visit.rows('dialogues'))[0]?.end, { timeout: 120_000 }).toBe('complete')
    note('dialogue, reload', 'row with Retry: audio')
  })
})
