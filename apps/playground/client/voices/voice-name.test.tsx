import { expect, test } from 'vitest'
import { nameOf } from './use-voices.ts'
import { hueOf } from './voice-picker.tsx'

const VOICE = { id: 'voice_1', object: 'audio.voice', name: 'Ann', created_at: 1 } as const

test('a voice without a name is called by its id', () => {
  expect(nameOf(VOICE)).toBe('Ann')
  expect(nameOf({ ...VOICE, name: '' })).toBe('voice_1')
})

test('a colour is one of eight, always the same, and ids differ in it', () => {
  const ids = Array.from({ length: 200 }, (_, index) => `voice_${index}`)
  const hues = ids.map(hueOf)
  expect(ids.map(hueOf)).toEqual(hues)
  expect(new Set(hues)).toEqual(new Set([0, 1, 2, 3, 4, 5, 6, 7]))
})

test('an id outside of ASCII, or an empty one, has a colour too', () => {
  for (const id of ['', '语音', '🎧']) expect([0, 1, 2, 3, 4, 5, 6, 7]).toContain(hueOf(id))
})
