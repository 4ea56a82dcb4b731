import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AudioClient } from '@svc-audio/core'
import { type RunningService, startService } from '@svc-audio/service'
import { SENTENCES, serverUrl, wordErrorRate } from '@svc-audio/testing'
import axe from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
// @boundaries-ignore the page under test is the example's
import { createApp } from '../../../examples/express/app.ts'

const SENTENCE = 'Every morning the children walked past the old clock.'
const CHROMIUM = process.env['PLAYWRIGHT_CHROMIUM'] ?? '/usr/bin/chromium'
const FLAGS = ['--no-sandbox', '--disable-gpu', '--autoplay-policy=no-user-gesture-required', '--disable-sync']

let folder: string
let service: RunningService
let client: AudioClient
let server: Server
let browser: Browser
let url: string

beforeAll(async () => {
  if (!existsSync(CHROMIUM)) throw new Error('Install Chromium: apt-get install chromium, or set PLAYWRIGHT_CHROMIUM')
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-page-'))
  service = await startService({
    dataDir: join(folder, 'service'),
    port: 0,
    apiKeys: new Map([['key', 'tenant']]),
    logLevel: 'silent',
  })
  const created = createApp({ apiKey: 'key', baseUrl: service.url, folder, publicUrl: 'https://app.example' })
  client = created.client
  server = created.app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = serverUrl(server)
  browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS })
})
afterAll(async () => {
  await browser.close()
  server.closeAllConnections()
  server.close()
  await client.close()
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

/** Opens the page. `errors` collects thrown and logged errors. */
async function open(): Promise<{ page: Page; errors: string[] }> {
  const page = await browser.newPage()
  // On a busy machine, a transcript takes more than half a minute.
  page.setDefaultTimeout(120_000)
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text())
  })
  await page.goto(url)
  return { page, errors }
}

/**
 * Speech long enough for several progress events. Its sentences differ: of five equal ones without a pause, the recognizer
 * hears six.
 */
const LONG = SENTENCES.slice(0, 8).join(' ')

async function recording(): Promise<Buffer> {
  const audio = await client.speech.create({
    model: 'svc-tts-1.5-flash',
    voice_id: 'rms',
    input: LONG,
    response_format: 'wav',
  })
  return Buffer.from(await audio.bytes())
}

async function faultsOf(page: Page): Promise<unknown[]> {
  await page.evaluate(axe.source)
  const result = await page.evaluate<{ violations: { id: string }[]; passes: unknown[] }>('axe.run()')
  expect(result.passes.length).toBeGreaterThan(5)
  return result.violations.map(({ id }) => id)
}

test('a recording uploads with progress, and its transcript appears', async () => {
  const { page, errors } = await open()
  await page.evaluate(`
    window.shares = []
    const progress = document.getElementById('sent')
    const { get, set } = Object.getOwnPropertyDescriptor(HTMLProgressElement.prototype, 'value')
    Object.defineProperty(progress, 'value', { get, set(share) { window.shares.push(share); set.call(this, share) } })
  `)
  const buffer = await recording()
  await page.setInputFiles('input[type=file]', { name: 'bridge.wav', mimeType: 'audio/wav', buffer })
  await page.click('text=Transcribe')
  await page.waitForFunction("document.getElementById('transcript').textContent !== ''")
  const text = (await page.textContent('#transcript')) ?? ''
  expect(wordErrorRate(LONG, text)).toBeLessThan(0.1)
  const shares = await page.evaluate<number[]>('window.shares')
  expect(shares.at(-1)).toBe(1)
  expect(shares).toEqual(shares.toSorted((a, b) => a - b))
  expect(await faultsOf(page)).toEqual([])
  expect(errors).toEqual([])
})

test('a file that is no audio shows the message of the response', async () => {
  const { page } = await open()
  const file = { name: 'notes.wav', mimeType: 'audio/wav', buffer: Buffer.from('%PDF-1.7 not audio at all') }
  await page.setInputFiles('input[type=file]', file)
  await page.click('text=Transcribe')
  await page.waitForFunction("document.getElementById('transcript').textContent !== ''")
  expect(await page.textContent('#transcript')).toBe('The file is none of the accepted kinds of audio or video')
})

test('spoken text plays in the audio element, with its whole duration', async () => {
  const { page, errors } = await open()
  await page.fill('input[name=text]', SENTENCE)
  await page.click('button:text("Speak")')
  const player = (property: string): string => `document.getElementById('player').${property}`
  await page.waitForFunction(player('ended'))
  expect(await page.evaluate(player('error'))).toBeNull()
  expect(await page.evaluate(player('duration'))).toBeGreaterThan(2)
  expect(await page.evaluate(player('currentTime'))).toBeCloseTo(Number(await page.evaluate(player('duration'))), 1)
  expect(await page.textContent('#speech')).toBe('')
  // The response to HEAD before the task has ended is 409, which Chromium logs.
  expect(errors.filter((error) => !error.includes('409'))).toEqual([])
  expect(await faultsOf(page)).toEqual([])
})
