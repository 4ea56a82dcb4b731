import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isKnownModel, KNOWN_MODELS } from './models.ts'

/** The table of the interface. */
const documented = readFileSync(new URL('../../../../docs/interface.md', import.meta.url), 'utf8')
  .split('### Known model ids')[1]
  ?.split('\n### ')[0]

// rules: models.known, general.svc-word
test('the known models are those of the table, each with the prefix of the interface', () => {
  const ids = [...(documented ?? '').matchAll(/^\| (svc-\S+) \|/gm)].map(([, id]) => id)
  expect(ids).toHaveLength(7)
  expect(KNOWN_MODELS).toEqual(ids)
  expect(KNOWN_MODELS.every((id) => id.startsWith('svc-'))).toBe(true)
})

// rules: models.snapshots, stream.model-exact
test.each(['svc-tts-1.5-flash-2026-01-15', 'SVC-TTS-1.5-FLASH', 'svc-tts-1.5', '', 'constructor'])(
  '%j is none of them, and is for the service to judge',
  (id) => {
    expect(isKnownModel(id)).toBe(false)
  },
)
