import { AudioClient } from '@svc-audio/core'
import { wordErrorRate } from '@svc-audio/testing'
import type { Locator } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { overflows, violations } from '../support/accessibility.ts'
import { download, drop, measure, runByKeys } from '../support/actions.ts'
import { setStage } from '../support/stage.ts'

const stage = setStage('/tasks')
const TEXT = 'The ferry left the island before sunrise.'
/** Minutes of audio: the task ends long after the test. */
const LONG = Array.from({ length: 400 }, () => TEXT).join(' ')

let client: AudioClient
beforeEach(() => {
  client = new AudioClient({ apiKey: stage.playground.apiKey, baseUrl: stage.playground.serviceUrl })
  return () => client.close()
})

function row(title: string | RegExp): Locator {
  return stage.page.locator('.task').filter({ hasText: title }).first()
}

async function create(text: string): Promise<void> {
  await stage.page.getByLabel('Text', { exact: true }).fill(text)
  await stage.page.getByRole('button', { name: 'Create task' }).click()
  await row(text.slice(0, 40)).waitFor()
}

test('a task of speech is created, its webhook arrives, and its audio can be saved', async () => {
  const { page, open } = stage
  await page.getByText('No tasks yet').waitFor()
  await page.getByLabel('Format').selectOption('wav')
  await create(TEXT)
  const task = row(TEXT)
  await task.getByText('Done', { exact: true }).first().waitFor()
  await task.getByText(/^arrived \d/).waitFor()
  const { name, bytes } = await download(page)
  expect(name).toBe('task.wav')
  const { seconds, peak } = measure(bytes)
  expect(seconds).toBeGreaterThan(1.5)
  expect(seconds).toBeLessThan(6)
  expect(peak).toBeGreaterThan(0.1)
  expect(await violations(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  expect(open.errors).toEqual([])
})

test('several tasks run at once, one is cancelled in the service, and the list survives a reload', async () => {
  const { page } = stage
  await create(`First. ${LONG}`)
  await create('The second task is short.')
  await row('The second task').getByText('Done', { exact: true }).first().waitFor()
  const id = await taskId(row('First.'))
  expect(['PENDING', 'PROCESSING']).toContain((await client.tasks.retrieve(id)).status)
  await row('First.')
    .getByRole('button', { name: /^Cancel First/ })
    .click()
  await row('First.').getByText('Cancelled', { exact: true }).first().waitFor()
  expect(await client.tasks.retrieve(id)).toMatchObject({ status: 'FAILED', error: { code: 'task_cancelled' } })
  await page.reload()
  await row('First.').getByText('Cancelled', { exact: true }).first().waitFor()
  await row('The second task').getByText('Done', { exact: true }).first().waitFor()
  await row('The second task').getByText('Webhook', { exact: true }).first().waitFor()
})

test('a recording is transcribed by a task', async () => {
  const { page } = stage
  const said = 'The train to the coast leaves at seven in the morning.'
  const speech = await client.speech.create({
    model: 'svc-tts-1.5-flash',
    input: said,
    voice_id: 'rms',
    response_format: 'wav',
  })
  await page.getByRole('tab', { name: 'Transcription' }).click()
  await drop(page, 'train.wav', Buffer.from(await speech.bytes()))
  await page.getByRole('button', { name: 'Create task' }).click()
  const text = await row('train.wav').locator('.task-transcript').innerText()
  expect(wordErrorRate(said, text)).toBeLessThanOrEqual(0.15)
  expect(await violations(page)).toEqual([])
})

test('a task of another program opens by its address, and an unknown one says so', async () => {
  const { page, playground } = stage
  const { id } = await client.speech.createTask({ model: 'svc-tts-1.5-flash', input: TEXT, voice_id: 'rms' })
  await page.goto(`${playground.url}/tasks?id=${id}`)
  await row(id).getByText('Done', { exact: true }).first().waitFor()
  await row(id).getByRole('button', { name: 'Play the result' }).waitFor()
  await page.goto(`${playground.url}/tasks?id=task_unknown`)
  await row('task_unknown').getByText('The service does not know this task').waitFor()
  expect(await page.locator('.task').count()).toBe(2)
  await page.getByRole('button', { name: 'Remove task_unknown from the list' }).click()
  await page.reload()
  await row(id).waitFor()
  expect(await page.locator('.task').count()).toBe(1)
})

test('the keyboard alone creates a task, opens it, and removes it', async () => {
  const { page } = stage
  await page.getByRole('tab', { name: 'Speech' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.getByRole('list', { name: 'Sample script' }).waitFor()
  await runByKeys(page, 'Create task')
  const title = 'Did you hear the news'
  await row(title).getByText('Done', { exact: true }).first().waitFor()
  const toggle = row(title)
    .getByRole('button', { name: new RegExp(title) })
    .first()
  expect(await toggle.getAttribute('aria-expanded')).toBe('true')
  await toggle.focus()
  await page.keyboard.press('Enter')
  expect(await toggle.getAttribute('aria-expanded')).toBe('false')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByText('No tasks yet').waitFor()
})

test('a task goes on when the service is killed and back', async () => {
  const { page, playground } = stage
  const text = Array.from({ length: 40 }, () => TEXT).join(' ')
  await create(text)
  await playground.signalService('SIGKILL')
  await row(TEXT).getByText('Done', { exact: true }).first().waitFor()
  await row(TEXT)
    .getByText(/^arrived \d/)
    .waitFor()
  await row(TEXT).getByRole('button', { name: 'Play the result' }).waitFor()
  expect(await page.locator('.failure').count()).toBe(0)
})

test('Escape stops a creation, and a refused call shows the reason', async () => {
  const { page } = stage
  await page.route('**/api/v1/audio/speech', () => undefined)
  await page.getByRole('button', { name: 'Create task' }).click()
  await page.getByRole('button', { name: 'Stop', exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('Stopped.').waitFor()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.evaluate(`localStorage.setItem('svc-audio.task-draft', '{"voice":"nobody"}')`)
  await page.reload()
  await page.getByRole('button', { name: 'Create task' }).click()
  const failure = page.locator('.failure')
  await failure.waitFor()
  expect(await failure.innerText()).toContain('voice_not_found')
})

/** The id that the open task shows. */
async function taskId(task: Locator): Promise<string> {
  const toggle = task.getByRole('button').first()
  if ((await toggle.getAttribute('aria-expanded')) === 'false') await toggle.click()
  return task.locator('.task-id code').innerText()
}
