import { expect, test } from 'vitest'
import { engineKind } from '../src/index.ts'

const CONTEXT = { name: 'kokoro', folder: '/', dataDir: '/data', environment: { KEY: 'sk' } }
const ENTRY = { baseUrl: 'http://127.0.0.1:8880/v1', speech: { model: 'kokoro' } }

test.each<[what: string, keys: object, fault: string]>([
  ['no address', { speech: { model: 'kokoro' } }, 'baseUrl: is missing'],
  ['no work', { baseUrl: ENTRY.baseUrl }, ': needs speech, recognition or diarization: say what the server does'],
  [
    'an unset variable',
    { ...ENTRY, apiKeyVariable: 'NONE' },
    'apiKeyVariable: names a variable that is not set: set it, or remove the line',
  ],
  [
    'a misspelt key',
    { ...ENTRY, speech: { model: 'kokoro', sampelRate: 1 } },
    'speech.sampelRate: Unknown key `sampelRate`; did you mean `sampleRate`?',
  ],
  [
    'a repeated id',
    { ...ENTRY, speech: { model: 'k', voices: [{ id: 'a' }, { id: 'a' }] } },
    'speech.voices.1.id: is the id of an earlier voice: give it another',
  ],
])('an entry with %s is refused with the path of the mistake', (_what, keys, fault) => {
  const { faults = [] } = engineKind.check(keys, CONTEXT)
  expect(faults.map(({ path, message }) => `${path.join('.')}: ${message}`)).toEqual([fault])
})

test('an entry needs an address and a model', async () => {
  const checked = engineKind.check(ENTRY, CONTEXT)
  if (checked.faults !== undefined) throw new Error('The entry is right')
  expect(await checked.create()).toMatchObject({ speech: { name: 'kokoro', voices: [] }, recognition: undefined })
})
