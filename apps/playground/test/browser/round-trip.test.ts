import { expect, test } from 'vitest'
import { overflows, violations } from '../support/accessibility.ts'
import { runByKeys } from '../support/actions.ts'
import { setStage } from '../support/stage.ts'

const stage = setStage('/round-trip')

test('a text is spoken, heard, and compared with numbers as they are spoken', async () => {
  const { page, open } = stage
  await page.getByLabel('Text', { exact: true }).fill('The train to the coast leaves at 7:45 in the morning.')
  await runByKeys(page, 'Run')
  await page.getByText(/^joe: [\d.]+ % wrong\.$/).waitFor()
  const row = page.getByRole('row').nth(1)
  const rate = Number(/([\d.]+) %/.exec(await row.innerText())?.[1])
  expect(rate).toBeLessThanOrEqual(15)
  await row.getByRole('button', { name: 'Play the speech of joe, run 1' }).click()
  await row.getByRole('button', { name: 'Pause the speech of joe, run 1' }).waitFor()
  expect(open.errors).toEqual([])
  expect(await violations(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 900 })
  const table = page.locator('.table-box')
  expect(
    await table.evaluate<number, { scrollWidth: number; clientWidth: number }>(
      (box) => box.scrollWidth - box.clientWidth,
    ),
  ).toBe(0)
})

test('all voices are compared, one after another, and Escape stops', async () => {
  const { page } = stage
  await page.getByLabel('Text', { exact: true }).fill('Good morning.')
  await page.getByRole('button', { name: 'Compare all voices' }).click()
  await expect.poll(() => page.getByRole('row').count()).toBeGreaterThan(2)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Run', exact: true }).waitFor()
  const voices = await page.locator('tbody th').allInnerTexts()
  expect(new Set(voices).size).toBe(voices.length)
})

test("a failure is the service's own sentence", async () => {
  const { page } = stage
  await page.getByLabel('Text', { exact: true }).fill('你好')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.locator('.failure').waitFor()
  expect(await page.locator('.failure-code').innerText()).toMatch(/^\w+ · /)
})
