import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AudioClient } from '@svc-audio/core'
import { encodeWav, pcmSeconds } from '@svc-audio/core/audio'
import { wordErrorRate } from '@svc-audio/testing'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { overflows, violations } from '../support/accessibility.ts'
import { download, drop, limitUploads, speak } from '../support/actions.ts'
import { launchBrowser, openPage } from '../support/browser.ts'
import { setStage } from '../support/stage.ts'

const TEXT = 'The train to the coast leaves at seven in the morning.'

const stage = setStage('/transcribe')

async function transcript(page: Page = stage.page): Promise<string> {
  await page.getByText(/^Transcribed /).waitFor()
  const turns = await page
    .locator('.turn-text')
    .evaluateAll<string[], { value: string }>((all) => all.map((turn) => turn.value))
  return turns.length > 0 ? turns.join(' ') : page.locator('.transcript-text').innerText()
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

test.each(['svc-transcribe-1.0', 'svc-transcribe-diarize-pro'])('%s transcribes a dropped file', async (model) => {
  const { page, open } = stage
  await page.getByRole('combobox', { name: 'Model' }).selectOption(model)
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
  await page.getByText('Copied the transcript.').waitFor({ state: 'attached' })
  expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(heard)
})

test('a dialogue has speakers, times and a timeline, which can be renamed, corrected, played and exported', async () => {
  const { page } = stage
  await page.getByRole('button', { name: 'Sample: two voices' }).click()
  // Live text comes before the transcript.
  await page.locator('.live-text').filter({ hasText: /\w/ }).first().waitFor()
  const heard = await transcript()
  expect(heard).toContain('breakfast in the garden')
  expect(await page.locator('.lane').count()).toBe(2)
  await page.getByRole('textbox', { name: 'Name of S02' }).fill('Ben')
  const second = page.getByRole('textbox', { name: 'Text of turn 2, Ben' })
  await second.fill('Yes, thank you.')
  const files: Record<string, string> = {}
  for (const kind of ['JSON', 'SRT', 'VTT']) files[kind] = String((await download(page, kind)).bytes)
  const { segments, text } = JSON.parse(files['JSON'] ?? '') as {
    text: string
    segments: { speaker: string; text: string; start: number; end: number }[]
  }
  expect(segments.map(({ speaker }) => speaker)).toEqual(['S01', 'Ben', 'S01'])
  expect(segments[1]).toMatchObject({ text: 'Yes, thank you.' })
  expect(text).toContain('Yes, thank you.')
  expect(files['SRT']).toMatch(/1\n00:00:0\d,\d{3} --> .*\nS01: Good morning/)
  expect(files['VTT']).toMatch(/^WEBVTT/)
  expect(files['VTT']).toContain('<v Ben>')
  await page
    .getByRole('button', { name: /^Play from 0:0[1-9]/ })
    .first()
    .click()
  await page.getByRole('button', { name: 'Pause the audio' }).waitFor()
  await page.locator('.turn[data-current="true"]', { hasText: 'Ben' }).waitFor()
  expect(await violations(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
})

test('a screen reader has the words of a transcript in progress, and a name for everything', async () => {
  const { page } = stage
  const { pcm, format } = await spoken(`Good morning. ${TEXT}`)
  // Long enough that its first words are read before its last ones are recognized.
  await drop(page, 'long.wav', Buffer.from(encodeWav(format, Array.from({ length: 12 }, () => pcm).flat())))
  const region = page.getByRole('region', { name: 'Transcription in progress' })
  await region.getByText('Good morning').first().waitFor()
  const tree = await region.ariaSnapshot()
  expect(tree).toMatch(/^- region "Transcription in progress":/)
  expect(tree).toContain('- status: Transcribing long.wav …')
  expect(tree).toContain('- button "Stop"')
  expect(tree).toContain('- log "Live text"')
  expect(tree).toMatch(/- paragraph: "?(?:S01: )?Good morning/)
  await transcript()
})

test('the keyboard alone opens a sample and reads its transcript', async () => {
  const { page } = stage
  await page.getByRole('combobox', { name: 'Model' }).focus()
  await page.keyboard.press('ArrowDown')
  expect(await page.getByRole('combobox', { name: 'Model' }).inputValue()).toBe('svc-transcribe-1.0')
  await page.getByRole('button', { name: 'Sample: one voice' }).press('Enter')
  expect(await transcript()).toContain('seven')
  // The numbers of text and transcript are compared as they are spoken.
  expect(await page.locator('.facts').innerText()).toMatch(/Word error rate\s+\d/)
})

test('an address on this machine is refused before anything is sent, with the reason', async () => {
  const { page } = stage
  await page.getByRole('textbox', { name: 'Address of the audio' }).fill('http://127.0.0.1:9/a.wav')
  await page.getByRole('button', { name: 'Transcribe address' }).click()
  const failure = page.locator('.failure')
  await failure.waitFor()
  expect(await failure.innerText()).toMatch(/^a\.wav: Address must /)
})

test('a stored file is transcribed by its link', async () => {
  const { page, playground } = stage
  const { pcm, format } = await spoken(TEXT)
  const form = new FormData()
  form.set('file', new Blob([encodeWav(format, pcm)]), 'stored.wav')
  const stored = await fetch(`${playground.url}/api/v1/files`, { method: 'POST', body: form })
  const { id } = (await stored.json()) as { id: string }
  await page.goto(`${playground.url}/transcribe?file_id=${id}&name=stored.wav`)
  await page.getByText(/^Transcribed stored\.wav/).waitFor()
  expect(wordErrorRate(TEXT, await transcript())).toBeLessThanOrEqual(0.15)
})

test('Escape stops a transcription', async () => {
  const { page } = stage
  // A minute of audio takes longer to transcribe than to stop.
  const { pcm, format } = await spoken('The train leaves.')
  const bytes = Buffer.concat(pcm)
  const minute = Array.from({ length: Math.ceil((60 * 32_000) / bytes.length) }, () => bytes)
  const sent = page.waitForRequest('**/v1/audio/transcriptions')
  await drop(page, 'minute.wav', Buffer.from(encodeWav(format, minute)))
  await page.getByText('Transcribing minute.wav …').waitFor()
  await sent
  const failed = page.waitForEvent('requestfailed')
  await page.keyboard.press('Escape')
  expect((await failed).url()).toContain('/v1/audio/transcriptions')
  await page.getByText('Stopped.').waitFor()
})

test('an upload shows how much was sent, and Stop ends it', async () => {
  const { page } = stage
  const endLimit = await limitUploads(page, 200_000)
  const format = { sampleRate: 16_000, channels: 1, bitDepth: 16 }
  await drop(page, 'long.wav', Buffer.from(encodeWav(format, [new Uint8Array(1_920_000)])))
  const progress = page.getByRole('progressbar', { name: 'Uploading long.wav, 1.9 MB' })
  await expect.poll(async () => Number(await progress.getAttribute('value'))).toBeGreaterThan(0.02)
  expect(await violations(page, [390])).toEqual([])
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('Stopped.').waitFor()
  expect(await progress.count()).toBe(0)
  await endLimit()
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
