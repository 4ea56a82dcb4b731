import { describe, expect, test, vi } from 'vitest'
import { violations } from '../support/accessibility.ts'
import { chooseQuickVoice, download, measure, runByKeys, speak } from '../support/actions.ts'
import { HEARD, type HeardAudio } from '../support/audio-tap.ts'
import { setStage } from '../support/stage.ts'

const TEXT = 'The train to the coast leaves at seven in the morning.'
/** Minutes of speech, so a click comes before the end of the synthesis. */
const LONG_TEXT = `${TEXT} `.repeat(300)

const stage = setStage('/speak')

const textarea = (): ReturnType<typeof stage.page.getByLabel> => stage.page.getByLabel('Text', { exact: true })
const heard = (): Promise<HeardAudio> => stage.page.evaluate<HeardAudio>(HEARD)

test('a typed text plays to its end, without a gap, and downloads as a WAV', async () => {
  const { page, open } = stage
  await chooseQuickVoice(page)
  await speak(page, TEXT)
  await page.getByRole('button', { name: 'Play the speech' }).waitFor()
  const { bytes, name } = await download(page)
  const { seconds, sampleRate, peak } = measure(bytes)
  const { sentFrames, playedFrames, sentPeak, starvedFrames } = await heard()
  expect(name).toBe('speech.wav')
  // Eleven words take two to six seconds.
  expect(seconds).toBeGreaterThan(2)
  expect(seconds).toBeLessThan(6)
  expect(peak).toBeGreaterThan(0.1)
  expect(sentPeak).toBeGreaterThan(0.1)
  expect([sentFrames, playedFrames]).toEqual([seconds * sampleRate, seconds * sampleRate])
  expect(starvedFrames).toBe(0)
  const facts = await page.locator('.facts').innerText()
  expect(facts).toMatch(/First audio\s+[\d.]+ m?s/)
  expect(facts).toMatch(/Speed\s+[\d.]+ × faster than real time/)
  expect(open.errors).toEqual([])
})

test('a finished stream is no cancelled request', async () => {
  const { page } = stage
  const failed: string[] = []
  page.on('requestfailed', (request) => failed.push(request.url()))
  const finished = page.waitForEvent('requestfinished', (request) => request.url().endsWith('/v1/audio/speech'))
  await speak(page, TEXT)
  await finished
  expect(failed).toEqual([])
})

test('Ctrl+Enter speaks, and Escape from anywhere stops the sound and the stream in the service', async () => {
  const { page, playground } = stage
  await textarea().fill(LONG_TEXT)
  await runByKeys(page, 'Speak')
  await page.getByText('Receiving …').waitFor()
  await page.getByRole('button', { name: 'Pause the speech' }).waitFor()
  await page.getByRole('link', { name: 'Integrations' }).click()
  await page.getByRole('heading', { name: 'Integrations' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Speak', exact: true }).click()
  // What arrived can be played and downloaded.
  await page.getByText(/^Incomplete: .* arrived/).waitFor()
  await page.getByRole('button', { name: 'Play the speech' }).waitFor()
  const { seconds, peak } = measure((await download(page)).bytes)
  expect(seconds).toBeGreaterThan(0.1)
  expect(peak).toBeGreaterThan(0.01)
  await page.getByRole('tab', { name: /Inspector/ }).click()
  const taskId = /"task_id":"([^"]+)"/.exec(await page.locator('.event-data').first().innerText())?.[1]
  const headers = { authorization: `Bearer ${playground.apiKey}` }
  const task = await vi.waitUntil(
    async () => {
      const response = await fetch(`${playground.serviceUrl}/v1/audio/tasks/${taskId}`, { headers })
      const body = (await response.json()) as { status: string }
      return body.status === 'PROCESSING' ? undefined : body
    },
    { timeout: 60_000, interval: 50 },
  )
  expect(task).toMatchObject({ status: 'FAILED', error: { code: 'client_disconnected' } })
})

test('a stream that is cut by the end of the service leaves what arrived, and the page goes on', async () => {
  const { page, playground } = stage
  await textarea().fill(LONG_TEXT)
  await page.getByRole('button', { name: 'Speak', exact: true }).click()
  const seek = page.getByRole('slider', { name: 'Position in the speech' })
  await expect.poll(async () => Number(await seek.getAttribute('max'))).toBeGreaterThan(0.1)
  await playground.signalService('SIGKILL')
  await page.getByText(/^Incomplete: /).waitFor()
  // The failure of the lost connection leaves when the service is back.
  await page.locator('.failure').waitFor({ state: 'detached' })
  expect(measure((await download(page)).bytes).seconds).toBeGreaterThan(0.1)
  await speak(page, TEXT)
  // The cut speech is in the history.
  await page.getByText(/incomplete/).waitFor()
})

describe('the player', () => {
  test('the player seeks, pauses and plays again by keys, and its volume survives a reload', async () => {
    const { page } = stage
    await speak(page, TEXT)
    await page.keyboard.press('Escape')
    const seek = page.getByRole('slider', { name: 'Position in the speech' })
    await seek.focus()
    await page.keyboard.press('Home')
    await expect.poll(() => seek.getAttribute('aria-valuetext')).toMatch(/^0:00 of 0:/)
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => seek.getAttribute('aria-valuetext')).toMatch(/^0:02 of 0:/)
    await page.getByRole('button', { name: 'Play the speech' }).press('Enter')
    await page.getByRole('button', { name: 'Pause the speech' }).waitFor()
    await page.getByRole('button', { name: 'Play the speech' }).waitFor()
    await expect.poll(() => seek.getAttribute('aria-valuetext')).toMatch(/^(0:\d+) of \1$/)
    const volume = page.getByRole('slider', { name: 'Volume' })
    await volume.focus()
    await page.keyboard.press('Home')
    await page.reload()
    await expect.poll(() => volume.inputValue()).toBe('0')
  })

  test('the player of a file in another format plays it too', async () => {
    const { page } = stage
    await page.getByRole('combobox', { name: 'Output' }).selectOption('mp3')
    await speak(page, TEXT)
    await page.getByRole('button', { name: 'Pause the speech' }).waitFor()
    const { name, bytes } = await download(page)
    expect(name).toBe('speech.mp3')
    // The mark of an MPEG frame.
    expect(bytes.readUInt16BE(0) & 0xff_e0).toBe(0xff_e0)
    await expect.poll(() => page.locator('.facts').innerText()).toMatch(/Duration\s+[2-6]\.\d s/)
  })
})

test('a draft survives a reload, with its settings', async () => {
  const { page } = stage
  await textarea().fill('A draft')
  await page.getByRole('combobox', { name: 'Model' }).selectOption('svc-tts-1.0-pro')
  await page.reload()
  expect(await textarea().inputValue()).toBe('A draft')
  expect(await page.getByRole('combobox', { name: 'Model' }).inputValue()).toBe('svc-tts-1.0-pro')
})

test("the service's own sentence and code are shown", async () => {
  const { page } = stage
  await textarea().fill('你好，世界')
  await page.getByRole('button', { name: 'Speak', exact: true }).click()
  const failure = page.locator('.failure')
  await failure.waitFor()
  const { message, code } = await fetch(`${stage.playground.url}/api/v1/audio/speech`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'svc-tts-1.5-flash', input: '你好，世界', voice_id: 'rms' }),
  })
    .then((response) => response.json() as Promise<{ error: { message: string; code: string } }>)
    .then(({ error }) => error)
  expect(await failure.innerText()).toContain(message.replace(/\.$/, ''))
  expect(await failure.innerText()).toContain(code)
})

test('a pause is inserted at the cursor, and a sample can be undone', async () => {
  const { page } = stage
  await textarea().fill('One. Two.')
  await textarea().press('Home')
  for (let step = 0; step < 4; step += 1) await textarea().press('ArrowRight')
  await page.getByRole('button', { name: 'Insert pause' }).click()
  expect(await textarea().inputValue()).toBe('One. [pause 0.5s] Two.')
  await page.getByRole('button', { name: 'Phone menu' }).click()
  expect(await textarea().inputValue()).toContain('press one')
  await page.keyboard.press('Control+z')
  expect(await textarea().inputValue()).toBe('One. [pause 0.5s] Two.')
})

test('a voice is chosen by keys, after its preview was heard', async () => {
  const { page } = stage
  await page.getByRole('button', { name: /^Voice/ }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Choose a voice' })
  await dialog.getByRole('button', { name: /^SLT/ }).waitFor()
  await page.keyboard.press('ArrowDown')
  expect(await dialog.locator(':focus').innerText()).toMatch(/^Joe/)
  await page.keyboard.type('slt')
  expect(await dialog.locator(':focus').inputValue()).toBe('slt')
  await dialog.getByRole('button', { name: /^Play a preview of SLT/ }).press('Enter')
  await dialog.getByRole('button', { name: /^Pause a preview of SLT/ }).waitFor()
  expect(await violations(page)).toEqual([])
  await dialog.getByRole('button', { name: /^SLT/ }).press('Enter')
  await page.getByRole('button', { name: /^Voice SLT/ }).waitFor()
  await page.getByRole('tab', { name: 'Code' }).click()
  expect(await page.locator('pre').innerText()).toContain("voice_id: 'slt'")
})

test('the inspector shows the request, the timings and the events, and no key', async () => {
  const { page, open, playground } = stage
  await speak(page, TEXT)
  await page.getByRole('tab', { name: /Inspector/ }).click()
  const inspector = await page.locator('.inspector').innerText()
  expect(inspector).toContain('POST /v1/audio/speech')
  expect(inspector).toContain(TEXT)
  expect(inspector).toContain('speech.audio.done')
  expect(inspector).toMatch(/First byte\s+[\d.]+ m?s/)
  const received = await open.received()
  expect(received).toContain('speech.audio.done')
  expect(received).not.toContain(playground.apiKey)
  expect(received).not.toContain(playground.serviceUrl)
  expect(playground.output()).not.toContain(playground.apiKey)
  expect(await violations(page)).toEqual([])
})

test('axe finds no fault after a speech, with a history', async () => {
  const { page } = stage
  await speak(page, TEXT)
  await speak(page, 'Again.')
  await page.getByRole('region', { name: 'History' }).waitFor()
  expect(await violations(page)).toEqual([])
})
