import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AudioClient, encodeWav, pcmSeconds } from '@svc-audio/core'
import { wordErrorRate } from '@svc-audio/testing'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { violations } from '../support/accessibility.ts'
import { HEARD, type HeardAudio } from '../support/audio-tap.ts'
import { launchBrowser, type OpenPage, openPage } from '../support/browser.ts'
import { startTestPlayground, type TestPlayground } from '../support/playground.ts'

const TEXT = 'The train to the coast leaves at seven in the morning.'
/** Minutes of speech, so a click comes before the end of the synthesis. */
const LONG_TEXT = `${TEXT} `.repeat(90).slice(0, 5000)

let playground: TestPlayground
let browser: Browser
let open: OpenPage
let page: Page

beforeAll(async () => {
  playground = await startTestPlayground()
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await playground?.close()
})
beforeEach(async () => {
  open = await openPage(browser, playground.url)
  page = open.page
})
afterEach(async () => {
  await open?.context.close()
})

async function type(text: string): Promise<void> {
  await page.getByLabel('Text', { exact: true }).fill(text)
}

/** Speaks and waits for the end of playback. @returns the played audio and the downloaded WAV */
async function speak(text: string): Promise<{ heard: HeardAudio; wav: Buffer }> {
  await type(text)
  await page.getByRole('button', { name: 'Speak' }).click()
  await page.getByText(/^Spoken: /).waitFor()
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download WAV' }).click()
  const wav = await readFile(await (await download).path())
  return { heard: await page.evaluate<HeardAudio>(HEARD), wav }
}

/** Drops a file onto the zone. */
async function drop(name: string, content: Buffer): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    `(() => {
      const bytes = Uint8Array.from(atob('${content.toString('base64')}'), (char) => char.charCodeAt(0))
      const transfer = new DataTransfer()
      transfer.items.add(new File([bytes], '${name}'))
      return transfer
    })()`,
  )
  await page.locator('.drop-zone').dispatchEvent('drop', { dataTransfer })
}

async function transcript(): Promise<string> {
  await page.getByText(/^Transcribed /).waitFor()
  return page.locator('.transcript-text').innerText()
}

test('a typed text plays, and its dropped WAV is transcribed', async () => {
  const { heard, wav } = await speak(TEXT)
  const frames = (wav.length - 44) / 2
  expect(wav.readUInt32LE(24)).toBe(heard.sampleRate)
  // Ten words take two to six seconds.
  expect(frames / heard.sampleRate).toBeGreaterThan(2)
  expect(frames / heard.sampleRate).toBeLessThan(6)
  expect(heard.sentFrames).toBe(frames)
  expect(heard.playedFrames).toBe(frames)
  expect(heard.sentPeak).toBeGreaterThan(0.1)
  expect(heard.playedPeak).toBeGreaterThan(0.1)
  await expect(page.locator('dl', { hasText: 'First audio' }).first().innerText()).resolves.toMatch(/\d+ m?s/)

  await drop('spoken.wav', wav)
  expect(wordErrorRate(TEXT, await transcript())).toBeLessThanOrEqual(0.15)
  expect(open.errors).toEqual([])
})

test('a click transcribes and measures the last speech, and the transcript can be copied', async () => {
  await open.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await speak(TEXT)
  await page.getByRole('button', { name: 'Use the last speech' }).click()
  const heard = await transcript()
  const rate = Number(/Word error rate\s+([\d.]+) %/.exec(await page.locator('.transcript').innerText())?.[1])
  expect(rate).toBeLessThanOrEqual(15)
  await page.locator('.transcript').getByRole('button', { name: 'Copy' }).click()
  await page.getByText('Copied').waitFor()
  expect(wordErrorRate(heard, await page.evaluate<string>('navigator.clipboard.readText()'))).toBeLessThanOrEqual(
    rate / 100,
  )
})

test('Ctrl+Enter speaks, and Escape stops the speech and its stream in the service', async () => {
  await type(LONG_TEXT)
  const answered = page.waitForResponse('**/api/speech')
  await page.keyboard.press('Control+Enter')
  const taskId = (await answered).headers()['x-task-id']
  await page.getByText('Speaking …').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('Stopped.').waitFor()
  const headers = { authorization: `Bearer ${playground.apiKey}` }
  const task = await vi.waitUntil(
    async () => {
      const response = await fetch(`${playground.serviceUrl}/v1/audio/tasks/${taskId}`, { headers })
      const body = (await response.json()) as { status: string; error?: { code: string } }
      return body.status === 'PROCESSING' ? undefined : body
    },
    { timeout: 60_000, interval: 50 },
  )
  expect(task).toMatchObject({ status: 'FAILED', error: { code: 'client_disconnected' } })
  await expect(page.getByRole('button', { name: 'Download WAV' }).isDisabled()).resolves.toBe(true)
})

test('Cancel aborts a transcription', async () => {
  // A minute of audio takes longer to transcribe than to cancel.
  const { wav } = await speak('The train leaves.')
  const pcm = wav.subarray(44)
  const minute = Array.from({ length: Math.ceil((60 * 32_000) / pcm.length) }, () => pcm)
  const format = { sampleRate: wav.readUInt32LE(24), channels: 1, bitDepth: 16 }
  await drop('minute.wav', Buffer.from(encodeWav(format, minute)))
  const failed = page.waitForEvent('requestfailed')
  await page.getByRole('button', { name: 'Cancel' }).click()
  expect((await failed).url()).toContain('/api/transcriptions')
  await expect(page.getByText('Cancelled.').isVisible()).resolves.toBe(true)
})

test('the browser never receives the key', async () => {
  const { wav } = await speak(TEXT)
  await drop('spoken.wav', wav)
  await transcript()
  await drop('no-audio.wav', Buffer.from('this is text'))
  await page.getByRole('alert').filter({ hasText: /\w/ }).waitFor()
  const received = await open.received()
  expect(received).toContain('speech.audio.done')
  expect(received).toContain('/assets/')
  expect(received).not.toContain(playground.apiKey)
  expect(received).not.toContain(playground.serviceUrl)
  expect(playground.output()).not.toContain(playground.apiKey)
})

test('axe finds no fault, before and after use, in the light and the dark theme', async () => {
  await page.getByRole('button', { name: 'Run Express' }).waitFor()
  expect(await violations(page)).toEqual([])
  await speak(TEXT)
  await page.getByRole('button', { name: 'Use the last speech' }).click()
  await transcript()
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await violations(page)).toEqual([])
  // The page fits the width of a phone.
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
})

describe('the page explains a mistake', () => {
  test('an empty text and a text over the limit disable Speak', async () => {
    const button = page.getByRole('button', { name: 'Speak' })
    await type('   ')
    await expect(button.isDisabled()).resolves.toBe(true)
    await type('a'.repeat(5001))
    await expect(button.isDisabled()).resolves.toBe(true)
    await expect(page.getByText('5,001 of 5,000 characters').isVisible()).resolves.toBe(true)
  })

  test('a file without audio', async () => {
    await drop('notes.wav', Buffer.from('this is text, despite its name'))
    await expect(page.getByRole('alert').filter({ hasText: /\w/ }).innerText()).resolves.toContain('audio')
  })
})

test('a microphone recording is transcribed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-microphone-'))
  const client = new AudioClient({ apiKey: playground.apiKey, baseUrl: playground.serviceUrl })
  const stream = await client.speech.stream({ model: 'svc-tts-1.5-flash', input: TEXT, voice_id: 'rms' })
  const spoken: Uint8Array[] = []
  for await (const chunk of stream) spoken.push(chunk)
  await client.close()
  const bytes = spoken.reduce((sum, chunk) => sum + chunk.length, 0)
  // The fake microphone loops the file. A pause separates the repetitions.
  const pause = new Uint8Array(stream.format.sampleRate * 2 * 3)
  const file = join(folder, 'voice.wav')
  await writeFile(file, encodeWav(stream.format, [...spoken, pause]))
  const seconds = pcmSeconds(stream.format, bytes)
  const listening = await launchBrowser(file)
  const other = await openPage(listening, playground.url)
  try {
    page = other.page
    await page.getByRole('button', { name: 'Record', exact: true }).click()
    const stop = page.getByRole('button', { name: new RegExp(`Stop and transcribe 0:0${Math.ceil(seconds) + 1}`) })
    await stop.click()
    expect(wordErrorRate(TEXT, await transcript())).toBeLessThanOrEqual(0.3)
  } finally {
    await listening.close()
    await rm(folder, { recursive: true, force: true })
  }
})
