import { afterEach, expect, test } from 'vitest'
import { type ScriptedEspeak, scriptEspeak } from '../test/scripted-espeak.ts'
import { engineKind } from './index.ts'

let scripted: ScriptedEspeak | undefined
afterEach(() => scripted?.remove())
const context = { name: 'last', folder: '.', dataDir: 'data', environment: {} }

test('an entry makes a speech driver with the name of the entry', async () => {
  scripted = await scriptEspeak()
  const checked = engineKind.check({ program: scripted.program, languages: ['ru'], idPrefix: 'e-' }, context)
  if (checked.faults !== undefined) throw new Error(JSON.stringify(checked.faults))
  const { speech, recognition } = await checked.create()
  expect(recognition).toBeUndefined()
  expect(speech).toMatchObject({ name: 'last', voices: [{ id: 'e', language: 'ru' }] })
  const engine = await speech?.create({ signal: new AbortController().signal, workers: 1 })
  expect(engine?.voices.map(({ id }) => id)).toEqual(['e', 'e-ru', 'e-ru-lv'])
  await engine?.close()
})

test('the mistakes of an entry have their paths', () => {
  const { faults } = engineKind.check({ languages: ['german!'], variant: '../x', voice: 'de' }, context)
  expect(faults?.map(({ path }) => path)).toEqual([['languages', 0], ['variant'], ['voice']])
})
