import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunningService, startService } from '@svc-audio/service'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { overflows, violations } from '../support/accessibility.ts'
import { launchBrowser, openPage } from '../support/browser.ts'
import { startTestPlayground, type TestPlayground } from '../support/playground.ts'

const ENGINES = `
engines:
  many-languages:
    driver: espeak-ng
    languages: [de, fr]
`

let folder: string
let service: RunningService
let playground: TestPlayground
let browser: Browser
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-engines-'))
  const enginesFile = join(folder, 'engines.yaml')
  await writeFile(enginesFile, ENGINES)
  const apiKeys = new Map([['engines-key', 'engines']])
  service = await startService({ dataDir: join(folder, 'data'), port: 0, logLevel: 'silent', apiKeys, enginesFile })
  playground = await startTestPlayground(service.url, 'engines-key')
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await playground?.close()
  await service?.close()
  await rm(folder, { recursive: true, force: true })
})

test('the voices of a service with two engines are filtered by engine, and one of the other engine speaks', async () => {
  const { page, context } = await openPage(browser, `${playground.url}/speak`)
  await page.getByRole('button', { name: /^Voice / }).click()
  const rows = page.locator('.voice-row')
  const filter = page.getByRole('combobox', { name: 'Engine' })
  await filter.waitFor()
  const all = await rows.count()
  const names = (await filter.locator('option').allInnerTexts()).toSorted()
  expect(names).toEqual(['All', 'many-languages', 'piper and flite'])
  await filter.selectOption('piper and flite')
  const own = await rows.count()
  expect(await rows.filter({ hasText: 'espeak-' }).count()).toBe(0)
  await filter.selectOption('many-languages')
  expect(await rows.count()).toBe(all - own)
  expect(await violations(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await page.getByRole('combobox', { name: 'Language' }).selectOption('de')
  await page.locator('.voice-choice').first().click()
  await page.getByLabel('Text', { exact: true }).fill('Guten Morgen. Der Zug kommt um sieben.')
  await page.getByRole('button', { name: 'Speak', exact: true }).click()
  await page.getByText(/^Complete: /).waitFor()
  await context.close()
})
