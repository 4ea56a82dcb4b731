import { wordErrorRate } from '@svc-audio/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Engine, errorOf, outputOf, startEngine, textOf } from './support/engine.ts'
import { speech, transcription } from './support/parameters.ts'
import { KEY, startTestService, type TestService } from './support/scripted.ts'

const TEXT = 'Please leave the keys on the kitchen table.'

let service: TestService
let engine: Engine

beforeAll(async () => {
  service = await startTestService()
  engine = await startEngine({ apiKey: KEY, baseUrl: service.url }, 'default')
})

afterAll(async () => {
  await engine?.close()
  await service?.close()
})

test('binary fields that n8n keeps in memory are written and read too', async () => {
  const run = await engine.run([
    { name: 'Speak', parameters: speech({ text: TEXT }) },
    { name: 'Listen', parameters: transcription() },
  ])
  expect(errorOf(run, 'Listen')).toBeUndefined()
  expect(outputOf(run, 'Speak')[0]?.binary?.['data']?.id).toBeUndefined()
  expect(wordErrorRate(TEXT, textOf(outputOf(run, 'Listen')[0], 'text'))).toBeLessThanOrEqual(0.15)
})
