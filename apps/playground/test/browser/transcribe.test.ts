import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AudioClient, encodeWav, pcmSeconds } from '@svc-audio/core'
import { wordErrorRate } from '@svc-audio/testing'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { violations } from '../support/accessibility.ts'
import { drop, speak } from '../support/actions.ts'
import { launchBrowser, openPage } from '../support/browser.ts'
import { setStage } from '../support/stage.ts'

const TEXT = 'The train to the coast leaves at seven in the morning.'

const stage = setStage('/transcribe')

async function transcript(page: Page = stage.page): Promise<string> {
  await page.getByText(/^Transcribed /).waitFor()
  return page.locator('.transcript-text').innerText()
}

/** Speech of the service behind the page. */
async function spoken(text: string): Promise<{ pcm: Uint8Array[]; format: Parameters<typeof encodeWav>[0] }> {
  const client = new AudioClient({ apiKey: stage.playground.apiKey, baseUrl: stage.playground.serviceUrl })
  const stream = await client.speech.stream({ model: 'svc-tts-1.5-flash', input: text, voice_id: 'rms' })
  const pcm: Uint8Array[] = []
  for await (const chunk of stream) pcm.push(chunk)
  await client.close()
  return { pcm, format: stream.format }
}

test('a dropped file is transcribed', async () => {
  const { page, open } = stage
  const { pcm, format } = await spoken(TEXT)
  await drop(page, 'spoken.wav', Buffer.from(encodeWav(format, pcm)))
  expect(wordErrorRate(TEXT, await transcript())).toBeLessThanOrEqual(0.15)
  expect(open.errors).toEqual([])
  expect(await violations(page)).toEqual([])
})

test('the last speech is transcribed and compared, and the transcript can be copied', async () => {
  const { page, open } = stage
  await open.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('link', { name: 'Speak', exact: true }).click()
  await speak(page, TEXT)
  await page.getByRole('link', { name: 'Transcribe' }).click()
  await page.getByRole('button', { name: 'Use the last speech' }).click()
  const heard = await transcript()
  const rate = Number(/Word error rate\s+([\d.]+) %/.exec(await page.locator('.transcript').innerText())?.[1])
  expect(rate).toBeLessThanOrEqual(15)
  await page.getByRole('button', { name: 'Copy the transcript' }).click()
  await page.getByText('Copied').waitFor()
  expect(wordErrorRate(heard, await page.evaluate<string>('navigator.clipboard.readText()'))).toBeLessThanOrEqual(
    rate / 100,
  )
})

test('Escape stops a transcription', async () => {
  const { page } = stage
  // A minute of audio takes longer to transcribe than to stop.
  const { pcm, format } = await spoken('The train leaves.')
  const bytes = Buffer.concat(pcm)
  const minute = Array.from({ length: Math.ceil((60 * 32_000) / bytes.length) }, () => bytes)
  await drop(page, 'minute.wav', Buffer.from(encodeWav(format, minute)))
  await page.getByText('Transcribing minute.wav …').waitFor()
  const failed = page.waitForEvent('requestfailed')
  await page.keyboard.press('Escape')
  expect((await failed).url()).toContain('/v1/audio/transcriptions')
  await page.getByText('Stopped.').waitFor()
})

test("a refused file is named, with the service's own sentence", async () => {
  const { page } = stage
  await drop(page, 'notes.wav', Buffer.from('this is text, despite its name'))
  const failure = page.locator('.failure')
  await failure.waitFor()
  expect(await failure.innerText()).toMatch(/^notes\.wav: .*audio/)
})

test('a recording can be heard, discarded and transcribed, and the old transcript leaves before', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-microphone-'))
  const { pcm, format } = await spoken(TEXT)
  // The fake microphone loops the file. A pause separates the repetitions.
  const pause = new Uint8Array(format.sampleRate * 2 * 3)
  const file = join(folder, 'voice.wav')
  await writeFile(file, encodeWav(format, [...pcm, pause]))
  const seconds = pcmSeconds(format, Buffer.concat(pcm).length)
  const listening = await launchBrowser(file)
  try {
    const { page } = await openPage(listening, `${stage.playground.url}/transcribe`)
    const record = page.getByRole('button', { name: 'Record', exact: true })
    await record.click()
    await page.getByText(`0:0${Math.ceil(seconds) + 1}`, { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await page.getByRole('button', { name: 'Play the recording' }).click()
    await page.getByRole('button', { name: 'Pause the recording' }).waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Transcribe' }).click()
    expect(wordErrorRate(TEXT, await transcript(page))).toBeLessThanOrEqual(0.3)
    await record.click()
    await page.getByText(`0:01`, { exact: true }).waitFor()
    expect(await page.locator('.transcript').count()).toBe(0)
    await page.getByRole('button', { name: 'Discard' }).click()
    await record.waitFor()
  } finally {
    await listening.close()
    await rm(folder, { recursive: true, force: true })
  }
})
