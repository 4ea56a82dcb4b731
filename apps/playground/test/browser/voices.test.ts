import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AudioClient } from '@svc-audio/core'
import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { overflows, violations } from '../support/accessibility.ts'
import { download, drop, measure } from '../support/actions.ts'
import { launchBrowser, openPage } from '../support/browser.ts'
import { setStage } from '../support/stage.ts'

const stage = setStage('/voices')

let client: AudioClient
beforeEach(() => {
  client = new AudioClient({ apiKey: stage.playground.apiKey, baseUrl: stage.playground.serviceUrl })
  return () => client.close()
})

/** A recording of a voice: speech of the service. */
async function recording(): Promise<Buffer> {
  const input = 'The harbour wakes before the town does. Boats come in with the first light.'
  const body = { model: 'svc-tts-1.5-flash', input, voice_id: 'slt', response_format: 'wav' } as const
  return Buffer.from(await (await client.speech.create(body)).bytes())
}

async function open(page: Page, view: string): Promise<void> {
  await page.getByRole('tab', { name: view, exact: true }).click()
}

/** Names of the voices in the service. */
async function names(): Promise<string[]> {
  const { data } = await client.voices.list({ limit: 150 })
  return data.map(({ name }) => name)
}

test('the list has a preview of each voice', async () => {
  const { page, open: opened } = stage
  const row = page.getByRole('row', { name: /SLT/ })
  await row.getByRole('button', { name: /^Play a preview/ }).click()
  await row.getByRole('button', { name: /^Pause a preview/ }).waitFor()
  expect(await violations(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  expect(opened.errors).toEqual([])
})

test('a file makes a voice that speaks, and a bad one is named with the reason', async () => {
  const { page } = stage
  await open(page, 'Recording')
  await drop(page, 'noise.wav', Buffer.from('no audio'))
  await page.getByLabel('Name').fill('Harbour')
  await page.getByRole('button', { name: 'Make voice' }).click()
  const failure = page.locator('.failure')
  await failure.waitFor()
  expect(await failure.innerText()).toMatch(/noise\.wav: [\s\S]+invalid_audio_sample/)
  await page.getByRole('button', { name: 'Choose another' }).click()
  await drop(page, 'harbour.wav', await recording())
  await page.getByRole('button', { name: 'Make voice' }).click()
  await page.getByText('Made the voice Harbour.').waitFor()
  expect(await names()).toContain('Harbour')
  expect(await violations(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await open(page, 'All voices')
  const row = page.getByRole('row', { name: /Harbour/ })
  await row.getByRole('button', { name: /^Play a preview/ }).click()
  await row.getByRole('button', { name: /^Pause a preview/ }).waitFor()
})

test('a described voice speaks and is kept', async () => {
  const { page } = stage
  await open(page, 'Description')
  await page.getByRole('button', { name: 'Design voice' }).click()
  await page.getByText('Here is the voice.').waitFor()
  const { name, bytes } = await download(page)
  expect(name).toBe('designed.wav')
  const { seconds, peak } = measure(bytes)
  expect(seconds).toBeGreaterThan(2)
  expect(peak).toBeGreaterThan(0.1)
  const designed = page.getByRole('region', { name: 'The designed voice' })
  await designed.getByLabel('Name').fill('Grandfather')
  await designed.getByRole('button', { name: 'Keep voice' }).click()
  await page.getByText('Kept the voice Grandfather.').waitFor()
  expect(await names()).toContain('Grandfather')
  expect(await violations(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
})

test('the keyboard alone compares two voices with one text', async () => {
  const { page } = stage
  await page.getByRole('row', { name: /SLT/ }).waitFor()
  await page.getByRole('tab', { name: 'All voices' }).focus()
  await page.keyboard.press('End')
  await page.keyboard.press('Control+Enter')
  await page.getByText('Both voices are ready.').waitFor()
  for (const side of ['First voice', 'Second voice']) {
    const card = page.getByRole('region', { name: side })
    await card
      .getByText(/^\d\.\d s$/)
      .first()
      .waitFor()
    await card.getByRole('button', { name: /^Play the/ }).focus()
    await page.keyboard.press('Enter')
    await card.getByRole('button', { name: /^Pause the/ }).waitFor()
  }
  await expect.poll(() => page.getByRole('button', { name: /^Pause the/ }).count()).toBe(1)
  expect(await violations(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
})

test('Escape stops a design', async () => {
  const { page } = stage
  await page.route('**/api/v1/audio/voice/generations', () => undefined)
  await open(page, 'Description')
  await page.getByRole('button', { name: 'Design voice' }).click()
  await page.getByRole('button', { name: 'Stop', exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('Stopped.').waitFor()
  expect(await page.getByRole('button', { name: 'Design voice' }).isEnabled()).toBe(true)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

test('the microphone makes a voice', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-voices-'))
  const file = join(folder, 'microphone.wav')
  await writeFile(file, await recording())
  const browser = await launchBrowser(file)
  try {
    const { page } = await openPage(browser, `${stage.playground.url}/voices`)
    await open(page, 'Recording')
    await page.getByRole('button', { name: 'Record', exact: true }).click()
    await page.getByText('0:02', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await page.getByRole('button', { name: 'Use the recording' }).click()
    await page.getByLabel('Name').fill('From the microphone')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Made the voice From the microphone.').waitFor()
    expect(await names()).toContain('From the microphone')
  } finally {
    await browser.close()
    await rm(folder, { recursive: true, force: true })
  }
})
