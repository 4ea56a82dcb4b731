import { expect, test } from 'vitest'
import { DevNarrations } from './dev-audio.ts'

test('a requested narration is found by its key, and waiting modules are those of every import', () => {
  const script = {
    voice: {
      endpoint: undefined,
      model: 'm',
      voice_id: 'v',
      pieceFormat: 'wav',
      aigc_metadata: undefined,
      language: undefined,
    },
    format: 'wav',
    segments: [{ written: 'One.', spoken: 'One.' }],
    gapSeconds: 0,
    encoder: undefined,
    source: 'a.md',
  } as const
  const narrations = new DevNarrations()
  const { audio, captions } = narrations.add(script, 'module')
  const [, key = ''] = /^@narration\/([\da-f]{64})\.wav$/.exec(audio) ?? []
  expect(captions).toBe(`@narration/${key}.vtt`)
  expect(narrations.add({ ...script, source: 'b.md' }, 'another')).toEqual({ audio, captions })
  expect(narrations.find(key)).toEqual({ script, waiting: new Set(['module', 'another']) })
  expect(narrations.find('0'.repeat(64))).toBeUndefined()
})
