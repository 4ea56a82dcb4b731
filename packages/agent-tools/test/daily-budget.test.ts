import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { AudioClient } from '@svc-audio/core'
import { createTestUpstream, happy, json, status, toneWav } from '@svc-audio/testing'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { type BudgetStore, createSpeechOperations, memoryAudioStore, memoryBudgetStore } from '../src/index.ts'
import type { DailyBudget, SpeechOperations } from '../src/index.ts'
import { temporaryFolder } from './support/folder.ts'
import { sqliteBudgetStore } from './support/sqlite-budget-store.ts'

afterEach(() => {
  vi.useRealTimers()
})

const KEY = 'daily-budget-key-0123456789'

async function upstream(): Promise<Awaited<ReturnType<typeof createTestUpstream>>> {
  const started = await createTestUpstream({ apiKey: KEY, transcript: 'hello there' })
  onTestFinished(() => started.close())
  return started
}

/** The tools of one user against a scripted service. */
async function operationsOf(
  dailyBudget: DailyBudget,
  { user = 'ann', url }: { user?: string; url?: string } = {},
): Promise<{ readonly operations: SpeechOperations; readonly reference: string }> {
  const client = new AudioClient({ apiKey: KEY, baseUrl: url ?? (await upstream()).url, maxRetries: 0 })
  onTestFinished(() => client.close())
  const store = memoryAudioStore()
  const { id: reference } = await store.put(toneWav(3), { contentType: 'audio/wav', user })
  const forRun = (): { user: string } => ({ user })
  const { operations } = createSpeechOperations({ client, voice_id: 'rms', store, forRun, dailyBudget })
  return { operations, reference }
}

/** Code of a failure, or what the artifact says was spent. */
async function outcome(call: Promise<{ artifact: { spent?: object } }>): Promise<unknown> {
  return call.then(
    ({ artifact }) => artifact.spent,
    (error: unknown) => (error as { code: unknown }).code,
  )
}

test('a user has the characters of a day in all runs together, and another user has others', async () => {
  const { url } = await upstream()
  const budget = { store: memoryBudgetStore(), maxCharacters: 25 }
  const { operations: ann } = await operationsOf(budget, { url })
  const { operations: bob } = await operationsOf(budget, { url, user: 'bob' })
  const speak = (by: SpeechOperations, run: string): Promise<unknown> =>
    outcome(by.speak.run({ text: 'Ten chars.' }, { run }))
  expect([await speak(ann, '1'), await speak(ann, '2'), await speak(ann, '3')]).toEqual([
    { unit: 'characters', call: 10, run: 10, day: 10 },
    { unit: 'characters', call: 10, run: 10, day: 20 },
    'budget_exceeded',
  ])
  const refused = ann.speak.run({ text: 'Ten chars.' })
  await expect(refused).rejects.toThrow('This user may use 25 characters of speech a day, and 5 are left.')
  await expect(speak(bob, '1')).resolves.toMatchObject({ day: 10 })
})

test('the budget of a day is full again after midnight in UTC', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2030-01-31T23:59:00Z') })
  const { operations } = await operationsOf({ store: memoryBudgetStore(), maxCharacters: 10 })
  const speak = (): Promise<unknown> => outcome(operations.speak.run({ text: 'Ten chars.' }))
  expect([await speak(), await speak()]).toEqual([expect.objectContaining({ day: 10 }), 'budget_exceeded'])
  await expect(operations.speak.run({ text: 'Ten chars.' })).rejects.toMatchObject({ retryAfterSeconds: 60 })
  vi.setSystemTime(new Date('2030-02-01T00:00:00Z'))
  await expect(speak()).resolves.toMatchObject({ day: 10 })
})

test('seconds of audio count in the day of their user', async () => {
  const { operations, reference } = await operationsOf({ store: memoryBudgetStore(), maxAudioSeconds: 4 })
  const first = await outcome(operations.transcribe.run({ audio: reference }))
  expect(first).toEqual({ unit: 'audioSeconds', call: 3, run: 3, day: 3 })
  // A stored transcript costs nothing.
  await expect(outcome(operations.transcribe.run({ audio: reference }))).resolves.toMatchObject({ call: 0 })
})

test('a request that certainly cost nothing is returned to the day', async () => {
  const service = await upstream()
  let failed = false
  service.on('POST /v1/audio/speech', (exchange) => {
    if (failed) return happy(exchange)
    failed = true
    return status(503)
  })
  const { operations } = await operationsOf({ store: memoryBudgetStore(), maxCharacters: 10 }, { url: service.url })
  const speak = (): Promise<unknown> => outcome(operations.speak.run({ text: 'Ten chars.' }))
  expect([await speak(), await speak()]).toEqual(['unavailable', expect.objectContaining({ day: 10 })])
})

test('a store that fails before a request costs nothing', async () => {
  const { url, requests } = await upstream()
  const broken: BudgetStore = { add: () => Promise.reject(new Error('no connection to db.internal')) }
  const { operations } = await operationsOf({ store: broken, maxCharacters: 10, maxAudioSeconds: 10 }, { url })
  const refused = operations.speak.run({ text: 'Hello.' })
  await expect(refused).rejects.toMatchObject({
    code: 'store_failed',
    message: expect.not.stringContaining('db.internal'),
  })
  expect(requests).toEqual([])
})

test('a store that cannot count after a request takes no result away', async () => {
  const service = await upstream()
  service.on('POST /v1/audio/transcriptions', json({ text: 'hello', duration: 50 }))
  let additions = 0
  const store: BudgetStore = {
    add: () => Promise.resolve().then(() => ((additions += 1) > 1 ? Promise.reject(new Error('gone')) : 0)),
  }
  const { operations } = await operationsOf({ store, maxAudioSeconds: 60 }, { url: service.url })
  const heard = await operations.transcribe.run({ audio: 'https://example.com/a.wav' })
  expect([heard.artifact.text, heard.artifact.spent, additions]).toEqual([
    'hello',
    { unit: 'audioSeconds', call: 50, run: 50, day: 0 },
    2,
  ])
})

test.each([
  ['dailyBudget', { dailyBudget: { store: memoryBudgetStore() } }],
  ['dailyBudget.store', { dailyBudget: { store: {}, maxCharacters: 1 } }],
  ['dailyBudget.maxCharacters', { dailyBudget: { store: memoryBudgetStore(), maxCharacters: 0.5 } }],
  ['maxCharacter', { dailyBudget: { store: memoryBudgetStore(), maxCharacter: 1 } }],
])('a wrong %s is refused by its name', (name, wrong) => {
  const client = new AudioClient({ apiKey: KEY, baseUrl: 'http://127.0.0.1:1' })
  const options = { client, voice_id: 'rms', store: memoryAudioStore(), ...(wrong as object) }
  expect(() => createSpeechOperations(options)).toThrow(name)
})

test('two processes that share a store spend no more than the day has', async () => {
  const { url, requests } = await upstream()
  const folder = await temporaryFolder()
  const file = join(folder, 'budgets.sqlite')
  sqliteBudgetStore(file).close()
  const program = join(import.meta.dirname, 'support/speak-often.ts')
  const results = await Promise.all(
    ['one', 'two'].map(async () => {
      const child = spawn(process.execPath, [program, file, url, KEY], { stdio: ['ignore', 'pipe', 'inherit'] })
      let output = ''
      child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
      await once(child, 'close')
      return JSON.parse(output) as { spoken: number; refused: number }
    }),
  )
  const [spoken, refused] = [results.map((one) => one.spoken), results.map((one) => one.refused)]
  const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0)
  expect([sum(spoken), sum(refused), requests.length]).toEqual([10, 20, 10])
  // Two processes start from sources.
}, 300_000)
