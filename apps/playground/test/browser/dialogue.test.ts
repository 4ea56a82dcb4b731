import { AudioClient } from '@svc-audio/core'
import { wordErrorRate } from '@svc-audio/testing'
import { expect, test } from 'vitest'
import { overflows, violations } from '../support/accessibility.ts'
import { download, runByKeys } from '../support/actions.ts'
import { setStage } from '../support/stage.ts'

const stage = setStage('/dialogue')

test('a script becomes one file with the words of all lines', async () => {
  const { page, open, playground } = stage
  await page.getByLabel('Format').selectOption('wav')
  await page.getByRole('button', { name: 'Speak all' }).click()
  await page.getByText('Complete: 3 lines.').waitFor()
  const { name, bytes } = await download(page)
  expect(name).toBe('dialogue.wav')
  const client = new AudioClient({ apiKey: playground.apiKey, baseUrl: playground.serviceUrl })
  const { text } = await client.transcriptions.create({ model: 'svc-transcribe-1.0', file: bytes })
  await client.close()
  const said =
    'Did you hear the news about the old bridge? No, what happened to it? ' +
    'They are going to open it again in the spring.'
  expect(wordErrorRate(said, text)).toBeLessThanOrEqual(0.2)
  expect(open.errors).toEqual([])
})

test('a script is written, moved and spoken by keyboard alone, and survives a reload', async () => {
  const { page } = stage
  await page.getByLabel('Text of line 3').focus()
  await page.keyboard.press('Enter')
  await page.keyboard.type('That is good news.')
  expect(await page.getByLabel('Speaker of line 4').inputValue()).toBe('B')
  await page.keyboard.press('Alt+ArrowUp')
  expect(await page.getByLabel('Text of line 3').inputValue()).toBe('That is good news.')
  expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Text of line 3')
  await page.reload()
  expect(await page.getByLabel('Text of line 3').inputValue()).toBe('That is good news.')
  await page.getByLabel('Text of line 3').focus()
  await runByKeys(page, 'Speak all')
  await page.getByText('Complete: 4 lines.').waitFor()
})

test('a line is moved with the pointer, and spoken alone', async () => {
  const { page } = stage
  const last = await page.getByLabel('Text of line 3').inputValue()
  await page.locator('.script-grip').nth(2).dragTo(page.locator('.script-line').nth(0))
  expect(await page.getByLabel('Text of line 1').inputValue()).toBe(last)
  await page.getByRole('button', { name: 'Speak line 1' }).click()
  await page.getByText('Complete: one line.').waitFor()
})

test('Escape stops a dialogue', async () => {
  const { page } = stage
  // The response never comes.
  await page.route('**/api/v1/audio/speech/speakers', () => undefined)
  await page.getByRole('button', { name: 'Speak all' }).click()
  await page.getByText('Speaking the script …').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('Nothing spoken yet.').waitFor()
  expect(await page.getByRole('button', { name: 'Speak all' }).isEnabled()).toBe(true)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

test('speakers come and go, and the panel is accessible and fits every width', async () => {
  const { page } = stage
  await page.getByRole('button', { name: 'Add a speaker' }).click()
  await page.getByLabel('Speaker of line 2').selectOption('C')
  expect(await violations(page)).toEqual([])
  await page.getByRole('button', { name: 'Remove speaker C' }).click()
  expect(await page.getByLabel('Speaker of line 2').inputValue()).toBe('A')
  expect(await overflows(page)).toEqual([])
})
