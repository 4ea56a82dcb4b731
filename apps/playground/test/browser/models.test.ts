import { expect, test } from 'vitest'
import { overflows, violations } from '../support/accessibility.ts'
import { setStage } from '../support/stage.ts'

const stage = setStage('/models')

test('every model of the service is listed with what it can do', async () => {
  const { page, open } = stage
  const card = page
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name: 'svc-tts-1.5-flash', exact: true }) })
  await card.waitFor()
  expect(await card.innerText()).toContain('Streams PCM and events')
  expect(await page.getByRole('heading', { level: 2 }).count()).toBeGreaterThanOrEqual(6)
  expect(open.errors).toEqual([])
})

test('a model leads to the panel that uses it', async () => {
  const { page, playground } = stage
  await page.getByRole('link', { name: 'Try it with svc-transcribe-1.0', exact: true }).click()
  await page.getByRole('heading', { name: 'Transcribe' }).waitFor()
  expect(page.url()).toBe(`${playground.url}/transcribe`)
})

test('the panel is accessible in every theme and fits every width', async () => {
  const { page } = stage
  await page.getByRole('heading', { name: 'svc-tts-1.5-flash', exact: true }).waitFor()
  expect(await violations(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
})
