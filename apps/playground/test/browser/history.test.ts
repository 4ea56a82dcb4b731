import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { overflows, violations } from '../support/accessibility.ts'
import { speak } from '../support/actions.ts'
import { setStage } from '../support/stage.ts'

const stage = setStage('/speak')

/** Plays, until the clock of the player moves. */
async function play(page: Page, label: string): Promise<void> {
  await page.getByRole('button', { name: `Play ${label}`, exact: true }).click()
  await page.getByRole('button', { name: `Pause ${label}`, exact: true }).waitFor()
  await expect
    .poll(async () =>
      Number(await page.getByRole('slider', { name: `Position in ${label}`, exact: true }).inputValue()),
    )
    .toBeGreaterThan(0.1)
}

test('speeches survive a reload: a stream plays from its task, a file from the browser', async () => {
  const { page, open } = stage
  await page.getByRole('combobox', { name: 'Output' }).selectOption('MP3')
  await speak(page, 'This file stays in the browser.')
  await page.getByRole('combobox', { name: 'Output' }).selectOption('Stream')
  await speak(page, 'This stream has a task in the service.')
  // The speech before is complete until the new one comes and takes its place.
  await page.getByRole('region', { name: 'History' }).waitFor()
  await page.getByText(/^Complete: /).waitFor()
  await page.reload()
  await page.getByText(/^Complete: /).waitFor()
  await play(page, 'the speech')
  const history = page.getByRole('region', { name: 'History' })
  await history.getByRole('button', { name: /^Play the speech of / }).click()
  await history.getByRole('button', { name: /^Pause the speech of / }).waitFor()
  expect(open.errors).toEqual([])
  expect(await violations(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
})

test('a transcript, its corrections and its audio survive a reload, and another tab has them at once', async () => {
  const { page, open, playground } = stage
  await page.goto(`${playground.url}/transcribe`)
  const other = await open.context.newPage()
  await other.goto(`${playground.url}/transcribe`)
  await page.getByRole('button', { name: 'Sample: two voices' }).click()
  await page.getByText(/^Transcribed /).waitFor()
  const address = page.url()
  expect(address).toContain('/transcribe?task=')
  await other.getByRole('link', { name: 'sample-two-voices.wav' }).click()
  expect(other.url()).toBe(address)
  await page.getByRole('textbox', { name: 'Name of S02' }).fill('Ben')
  await page.getByRole('textbox', { name: 'Text of turn 2, Ben' }).fill('Yes, thank you.')
  await expect
    .poll(async () => other.getByRole('textbox', { name: 'Text of turn 2, Ben' }).inputValue())
    .toBe('Yes, thank you.')
  await page.reload()
  expect(await page.getByRole('textbox', { name: 'Text of turn 2, Ben' }).inputValue()).toBe('Yes, thank you.')
  await play(page, 'the audio')
  expect(await violations(page)).toEqual([])
})

test('a link opens a transcript from its task in another browser', async () => {
  const { page, browser, playground } = stage
  await page.goto(`${playground.url}/transcribe`)
  await page.getByRole('button', { name: 'Sample: one voice' }).click()
  await page.getByText(/^Transcribed /).waitFor()
  const texts = (from: Page): Promise<string[]> =>
    from.locator('.turn-text').evaluateAll<string[], { value: string }>((all) => all.map(({ value }) => value))
  const mine = await texts(page)
  const context = await browser.newContext()
  const theirs = await context.newPage()
  await theirs.goto(page.url())
  await theirs.locator('.turn-text').first().waitFor()
  expect(await texts(theirs)).toEqual(mine)
  await context.close()
})
