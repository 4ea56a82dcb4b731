import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeWav } from '@svc-audio/core/audio'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { overflows, violations } from '../support/accessibility.ts'
import { launchBrowser, openPage } from '../support/browser.ts'
import { setStage } from '../support/stage.ts'

const stage = setStage('/talk')

const ask = (page: Page, question: string): Promise<void> =>
  page.getByRole('button', { name: question, exact: true }).click()
const events = (page: Page): Promise<string> => page.getByRole('region', { name: 'Events' }).innerText()

test('without a microphone, the page asks, the agent answers with a tool, and words end a story', async () => {
  const { page, open } = stage
  await page.getByRole('button', { name: 'Talk', exact: true }).click()
  await page
    .getByRole('alert')
    .getByText(/microphone.*choose a question, and the page speaks it for you/)
    .waitFor()
  await ask(page, 'What time is it?')
  const said = page.getByRole('log', { name: 'What was said' })
  await said.getByText(/You .*time/).waitFor()
  await said.getByText(/Agent It is \d+:\d\d/).waitFor()
  await page.getByText('You hear the answer').waitFor()
  expect(await events(page)).toMatch(/The tool has answered: clock\n[^]*The agent calls a tool: clock/)
  await page.getByText('The agent listens.').waitFor()
  await ask(page, 'Tell me a story.')
  await said.getByText(/Agent Once there was/).waitFor()
  await page.getByText('The agent speaks.').waitFor()
  expect(await violations(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await ask(page, 'Stop, please.')
  await page.getByText(/^You interrupt\. Heard before/).waitFor()
  await said.getByText('Agent All right.').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('The conversation ends').waitFor()
  expect(open.errors).toEqual([])
})

test('a microphone is heard until it is muted', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-talk-'))
  const speech = await fetch(`${stage.playground.url}/api/v1/audio/speech`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'svc-tts-1.5-flash',
      input: 'What time is it?',
      voice_id: 'slt',
      response_format: 'pcm',
    }),
  })
  const format = { sampleRate: 16_000, channels: 1, bitDepth: 16 }
  const file = join(folder, 'question.wav')
  // The fake microphone loops the file. A pause separates the questions.
  await writeFile(file, encodeWav(format, [await speech.bytes(), new Uint8Array(96_000)]))
  const listening = await launchBrowser(file)
  try {
    const { page } = await openPage(listening, `${stage.playground.url}/talk`)
    await page.getByRole('button', { name: 'Talk', exact: true }).click()
    await page
      .getByRole('log', { name: 'What was said' })
      .getByText(/You \w/)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Mute' }).click()
    const level = page.getByRole('meter', { name: 'Level of what the agent hears' })
    await expect.poll(async () => level.getAttribute('aria-valuetext')).toBe('silent')
  } finally {
    await listening.close()
    await rm(folder, { recursive: true, force: true })
  }
})
