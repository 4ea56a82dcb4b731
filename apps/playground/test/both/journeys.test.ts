import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeWav } from '@svc-audio/core/audio'
import { type NullSink, startNullSink } from '@svc-audio/kit/hosts/null-sink'
import type { Browser } from 'puppeteer-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { BROWSERS, launchEither, User } from '../support/both-browsers.ts'
import { startTestPlayground, type TestPlayground } from '../support/playground.ts'

let playground: TestPlayground
let sink: NullSink
beforeAll(async () => {
  // Both browsers play into a sound server: without one, Talk's audio does not move.
  ;[playground, sink] = await Promise.all([startTestPlayground(), startNullSink()])
})
afterAll(async () => {
  await sink?.close()
  await playground?.close()
})

describe.each(BROWSERS)('in %s', (name) => {
  let browser: Browser
  let user: User
  let errors: string[]
  beforeAll(async () => {
    browser = await launchEither(name, sink.env)
  })
  afterAll(() => browser?.close())
  beforeEach(async () => {
    const page = await browser.newPage()
    await page.setViewport({ width: 1440, height: 900 })
    errors = []
    page.on('pageerror', (error) => errors.push(String(error)))
    user = new User(page, playground.url)
  })
  afterEach(() => user.page.close())

  test('a speech plays while it arrives, and its position moves', async () => {
    await user.open('/speak')
    await user.fill('Text', 'Good morning. The train leaves at seven.')
    await user.press('Speak')
    await user.reads(/Complete: /)
    const position = 'Number(document.querySelector(\'.player input[type=range], [aria-label^="Position in"]\').value)'
    await expect.poll(async () => user.page.evaluate(position)).toBeGreaterThan(0.5)
    expect(await user.violations()).toEqual([])
    expect(errors).toEqual([])
  })

  test('the address names the tab, and the inspector shows the request', async () => {
    await user.open('/speak?tab=code')
    await user.press('Inspector', 'tab')
    await user.reads('No request yet')
    expect(user.page.url()).toBe(`${playground.url}/speak?tab=inspector`)
    await user.press('Speak', 'tab')
    await user.press('Speak')
    await user.reads(/Complete: /)
    await user.press('Inspector 1', 'tab')
    await user.reads('/v1/audio/speech')
  })

  test('a voice is found by its name and chosen with the keyboard', async () => {
    await user.open('/speak')
    // Chromium's protocol gives buttons that open a dialog a role of its own.
    await user.page.locator('.voice-button').click()
    await user.sees('Search the voices', 'searchbox')
    await user.page.keyboard.type('slt')
    await user.page.keyboard.press('Enter')
    await expect
      .poll(async () => user.page.evaluate("document.querySelector('.voice-button').innerText"))
      .toMatch(/SLT/)
  })

  test('a transcript has speakers, and its corrections survive a reload', async () => {
    await user.open('/transcribe')
    await user.press('Sample: two voices')
    await user.reads(/Transcribed /)
    await user.fill('Name of S02', 'Ben')
    await user.fill('Text of turn 2, Ben', 'Yes, thank you.')
    expect(await user.violations()).toEqual([])
    await user.page.reload()
    await user.sees('Text of turn 2, Ben', 'textbox')
    expect(await user.page.evaluate("document.querySelectorAll('.turn-text')[1].value")).toBe('Yes, thank you.')
    expect(errors).toEqual([])
  })

  test('a dialogue is spoken', async () => {
    await user.open('/dialogue')
    await user.press('Speak all')
    await user.sees('Pause the dialogue')
    expect(errors).toEqual([])
  })

  test('an agent answers a question, and words end its story', async () => {
    await user.open('/talk')
    await user.press('What time is it?')
    await user.reads(/It is \d+:\d\d/)
    await user.reads('You hear the answer')
    await user.reads('The agent listens.')
    await user.press('Tell me a story.')
    await user.reads('The agent speaks.')
    await user.press('Stop, please.')
    await user.reads('You interrupt. Heard before')
    expect(await user.violations()).toEqual([])
    await user.press('Stop')
    await user.reads('The conversation ends')
    expect(errors).toEqual([])
  })

  test('a task is followed to its webhook', async () => {
    await user.open('/tasks')
    await user.press('Create task')
    await user.reads(/arrived /)
    expect(errors).toEqual([])
  })

  test('a file is stored and listed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-audio-file-'))
    const file = join(folder, `${name}.wav`)
    await writeFile(file, encodeWav({ sampleRate: 16_000, channels: 1, bitDepth: 16 }, [new Uint8Array(32_000)]))
    await user.open('/files')
    const input = await user.page.waitForSelector('input[type=file]')
    await input?.uploadFile(file)
    await user.reads(`Stored ${name}.wav.`)
    await rm(folder, { recursive: true, force: true })
    expect(errors).toEqual([])
  })

  test('a round trip counts the wrong words', async () => {
    await user.open('/round-trip')
    await user.press('Run')
    await user.reads(/wrong\./)
    expect(await user.violations()).toEqual([])
  })

  test('an integration runs', async () => {
    await user.open('/integrations')
    await user.press('Run Express')
    await user.reads(/Works, /)
    expect(errors).toEqual([])
  })

  test.each(['/voices', '/models', '/nonsense'])('%s opens without a fault', async (path) => {
    await user.open(path)
    await user.page.waitForSelector('main h1, main .empty-title')
    expect(await user.violations()).toEqual([])
    expect(errors).toEqual([])
  })
})
