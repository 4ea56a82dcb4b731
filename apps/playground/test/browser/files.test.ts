import { wavHeader } from '@svc-audio/core/adapter'
import { expect, test } from 'vitest'
import { overflows, violations } from '../support/accessibility.ts'
import { drop, limitUploads } from '../support/actions.ts'
import { setStage } from '../support/stage.ts'

const stage = setStage('/files')

/** A WAV of silence. */
function silence(seconds: number): Buffer {
  const bytes = seconds * 32_000
  return Buffer.concat([wavHeader({ sampleRate: 16_000, channels: 1, bitDepth: 16 }, bytes), Buffer.alloc(bytes)])
}

test('a dropped file is stored, listed, and deleted after a question', async () => {
  const { page, open } = stage
  await page.getByText('No files yet').waitFor()
  await drop(page, 'meeting.wav', silence(1))
  const row = page.getByRole('row', { name: /meeting\.wav/ })
  await row.waitFor()
  expect(await row.innerText()).toContain('32 KB')
  expect(await violations(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await page.getByRole('button', { name: 'Delete meeting.wav' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No files yet').waitFor()
  expect(open.errors).toEqual([])
})

test('a long name without a space pushes nothing aside, in the list, in the question and in a transcript', async () => {
  const { page, playground } = stage
  const name = `${'x'.repeat(150)}.wav`
  await drop(page, name, silence(1))
  await page.getByRole('row', { name: /x\.wav/ }).waitFor()
  expect(await overflows(page)).toEqual([])
  await page.getByRole('button', { name: `Delete ${name}` }).click()
  expect(await overflows(page)).toEqual([])
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No files yet').waitFor()
  await page.goto(`${playground.url}/transcribe`)
  await drop(page, name, silence(1))
  await page.getByRole('region', { name: 'Transcript', exact: true }).waitFor()
  expect(await overflows(page)).toEqual([])
  await page.goto(`${playground.url}/files`)
})

test('a file that the service refuses is named with its reason', async () => {
  const { page } = stage
  const error = { code: 'storage_quota_exceeded', message: 'The account has no space left. Delete files.' }
  await page.route('**/api/v1/files', (route) =>
    route.request().method() === 'POST' ? route.fulfill({ status: 429, json: { error } }) : route.continue(),
  )
  await drop(page, 'large.wav', silence(1))
  const alert = page.getByRole('alert').filter({ hasText: 'large.wav' })
  await alert.waitFor()
  expect(await alert.innerText()).toContain(error.message)
  expect(await alert.innerText()).toContain(error.code)
})

test('an upload shows how much was sent, and Stop ends it in the service too', async () => {
  const { page } = stage
  const endLimit = await limitUploads(page, 200_000)
  await drop(page, 'slow.wav', silence(60))
  const progress = page.getByRole('progressbar', { name: 'Uploading slow.wav, 1.9 MB' })
  const share = async (): Promise<number> => Number(await progress.getAttribute('value'))
  await expect.poll(share).toBeGreaterThan(0.02)
  const seen = await share()
  expect(seen).toBeLessThan(1)
  await expect.poll(share).toBeGreaterThan(seen)
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('Stopped.').waitFor()
  await endLimit()
  await page.reload()
  await page.getByText('No files yet').waitFor()
  await drop(page, 'slow.wav', silence(60))
  await page.getByRole('row', { name: /slow\.wav/ }).waitFor()
  await page.getByRole('button', { name: 'Delete slow.wav' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No files yet').waitFor()
})

test('Escape stops an upload', async () => {
  const { page } = stage
  // The upload never ends by itself.
  await page.route('**/api/v1/files', (route) => (route.request().method() === 'POST' ? undefined : route.continue()))
  await drop(page, 'long.wav', silence(5))
  await page.getByText(/^Uploading long\.wav/).waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('Stopped.').waitFor()
  expect(await page.getByText(/^Uploading/).count()).toBe(0)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

test('the list turns pages by keyboard', async () => {
  const { page, playground } = stage
  const send = async (index: number): Promise<void> => {
    const form = new FormData()
    form.append('file', new Blob([Uint8Array.from(silence(1))]), `part-${String(index).padStart(2, '0')}.wav`)
    const headers = { authorization: `Bearer ${playground.apiKey}` }
    const response = await fetch(`${playground.serviceUrl}/v1/files`, { method: 'POST', headers, body: form })
    expect(response.status).toBe(200)
  }
  for (let index = 0; index < 22; index += 1) await send(index)
  await page.reload()
  const older = page.getByRole('button', { name: 'Older' })
  await older.focus()
  await page.keyboard.press('Enter')
  await page.getByText('21 to 22').waitFor()
  expect(await older.isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Newer' }).click()
  await page.getByText('1 to 20').waitFor()
})
