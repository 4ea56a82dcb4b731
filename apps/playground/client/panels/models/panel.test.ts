import { KNOWN_MODELS } from '@svc-audio/core/interface'
import { expect, test } from 'vitest'
import { knownModel } from './panel.tsx'

test.each(KNOWN_MODELS)('%s is described', (id) => {
  expect(knownModel(id)?.abilities.length).toBeGreaterThan(0)
})

test('a dated id is described as its model, with a pinned version', () => {
  expect(knownModel('svc-tts-1.0-pro-2026-01-02')).toMatchObject({ task: 'Speech' })
  expect(knownModel('svc-tts-1.0-pro-2026-01-02')?.abilities).toContain('Pins the version')
})

test('a dated id does not stream', () => {
  expect(knownModel('svc-tts-1.5-flash')?.abilities).toContain('Streams PCM and events')
  expect(knownModel('svc-tts-1.5-flash-2026-01-02')?.abilities).not.toContain('Streams PCM and events')
})

test('a model of one service alone has no description', () => {
  expect(knownModel('svc-own-1.0')).toBeUndefined()
  expect(knownModel('constructor')).toBeUndefined()
})
