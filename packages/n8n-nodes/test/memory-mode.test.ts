import { wordErrorRate } from '@svc-audio/testing'
import { expect, test } from 'vitest'
import { errorOf, outputOf, textOf } from './support/engine.ts'
import { speech, transcription } from './support/parameters.ts'
import { served } from './support/scripted.ts'

const TEXT = 'Please leave the keys on the kitchen table.'

const given = served({ binaryMode: 'default' })

test('binary fields that n8n keeps in memory are written and read too', async () => {
  const run = await given.engine.run([
    { name: 'Speak', parameters: speech({ text: TEXT }) },
    { name: 'Listen', parameters: transcription() },
  ])
  expect(errorOf(run, 'Listen')).toBeUndefined()
  expect(outputOf(run, 'Speak')[0]?.binary?.['data']?.id).toBeUndefined()
  expect(wordErrorRate(TEXT, textOf(outputOf(run, 'Listen')[0], 'text'))).toBeLessThanOrEqual(0.15)
})
