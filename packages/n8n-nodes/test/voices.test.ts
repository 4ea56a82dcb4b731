import { json, status } from '@svc-audio/testing'
import { beforeEach, expect, test } from 'vitest'
import { errorOf, outputOf } from './support/engine.ts'
import { speech } from './support/parameters.ts'
import { scripted } from './support/scripted.ts'

const given = scripted()
const voice = (id: string, name: string): object => ({ id, object: 'audio.voice', name, created_at: 0 })
const byName = (value: string) => ({ __rl: true, mode: 'name', value }) as const

beforeEach(() => {
  const data = [voice('voice-1', 'Ann'), voice('voice-2', 'Ben'), voice('voice-3', 'ben')]
  given.upstream.on('GET /v1/audio/voices', json({ object: 'list', data, has_more: false }))
})

const spoken = (): unknown[] =>
  given.upstream.requests.filter(({ method }) => method === 'POST').map(({ json: body }) => body)

test('a voice is chosen by its name, and the list is read once for all items', async () => {
  const items = ['One.', 'Two.', 'Three.'].map((text) => ({ json: { text, who: 'ann ' } }))
  const parameters = speech({ text: '={{ $json.text }}', voice: byName('={{ $json.who }}') })
  const run = await given.engine.run([{ name: 'Speak', parameters }], { items })
  expect(outputOf(run, 'Speak')).toHaveLength(3)
  expect(spoken()).toMatchObject(items.map(() => ({ voice_id: 'voice-1' })))
  expect(given.upstream.requests).toHaveLength(4)
})

test('a list that cannot be read fails its item alone', async () => {
  given.upstream.next('GET /v1/audio/voices', status(403))
  const items = ['One.', 'Two.'].map((text) => ({ json: { text } }))
  const parameters = speech({ text: '={{ $json.text }}', voice: byName('Ann') })
  await given.engine.run([{ name: 'Speak', parameters, onError: 'continueRegularOutput' }], { items })
  expect(spoken()).toMatchObject([{ input: 'Two.', voice_id: 'voice-1' }])
})

test('the speakers of a dialogue have voices by name and by id', async () => {
  const parameters = {
    resource: 'dialogue',
    speakers: {
      speaker: [
        { name: 'A', voiceId: byName('Ann') },
        { name: 'B', voiceId: 'voice-2' },
      ],
    },
    lines: { line: [{ speaker: 'A', text: 'Hi.' }] },
  }
  await given.engine.run([{ name: 'Speak', parameters }])
  expect(spoken()).toMatchObject([
    {
      speakers: [
        { id: 'A', voice_id: 'voice-1' },
        { id: 'B', voice_id: 'voice-2' },
      ],
    },
  ])
})

test.each([
  ['Eve', 'Voice: no voice has the name "Eve" [item 0]'],
  ['Ben', 'Voice: 2 voices have the name "Ben": voice-2, voice-3 [item 0]'],
])('the name %s is refused before anything is spoken', async (name, message) => {
  const run = await given.engine.run([{ name: 'Speak', parameters: speech({ text: 'Hi', voice: byName(name) }) }])
  expect(errorOf(run, 'Speak')).toMatchObject({
    message,
    description: 'Choose a voice from the list, or use the ID that Get Many of Voice outputs.',
  })
  expect(spoken()).toEqual([])
})
