import { expect, test } from 'vitest'
import { scriptedEngine } from '../../../test/support/scripted-engine.ts'
import { probeSpeech } from './probes.ts'

const { signal } = new AbortController()

test("a probe speaks with the engine's first voice, and reads no more than the first samples", async () => {
  const engine = scriptedEngine()
  await probeSpeech(engine, signal)
  expect(engine.accepted).toEqual([{ text: 'Yes.', voiceId: 'one' }])
  expect(engine.ended).toEqual(['Yes.'])
})

test('an engine without voices passes its probe', async () => {
  const engine = { ...scriptedEngine(), voices: [] }
  await probeSpeech(engine, signal)
  expect(engine.accepted).toEqual([])
})

test('an error of the engine fails the probe', async () => {
  const engine = { ...scriptedEngine(), synthesize: () => Promise.reject(new Error('broken')) }
  await expect(probeSpeech(engine, signal)).rejects.toThrow('broken')
})
