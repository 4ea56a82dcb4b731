import { describe, expect, test } from 'vitest'
import { MissingNarrationError } from './errors.ts'
import {
  characters,
  edgesOf,
  isOnePiece,
  type NarrationScript,
  pageKey,
  pieceKey,
  type VoiceSettings,
} from './script.ts'

const DELIVERY: VoiceSettings = {
  endpoint: undefined,
  model: 'svc-tts-1.5-flash',
  voice_id: 'rms',
  pieceFormat: 'wav',
  aigc_metadata: undefined,
  language: undefined,
}
const segment = (text: string): NarrationScript['segments'][number] => ({ written: text, spoken: text })
const SCRIPT: NarrationScript = {
  voice: DELIVERY,
  format: 'wav',
  segments: [segment('One.'), segment('Two.')],
  gapSeconds: 0.5,
  encoder: undefined,
  source: 'posts/a.md',
}

describe('the key of a segment', () => {
  const marked = { enabled: true, content_propagator: 'a', propagate_id: 'b' }
  const variants: readonly VoiceSettings[] = [
    DELIVERY,
    { ...DELIVERY, endpoint: 'other' },
    { ...DELIVERY, model: 'svc-x' },
    { ...DELIVERY, voice_id: 'slt' },
    { ...DELIVERY, pieceFormat: 'mp3' },
    { ...DELIVERY, language: 'de' },
    { ...DELIVERY, aigc_metadata: { enabled: true } },
    { ...DELIVERY, aigc_metadata: marked },
    { ...DELIVERY, aigc_metadata: { ...marked, content_propagator: 'b', propagate_id: 'a' } },
    // The same words in other fields.
    { ...DELIVERY, endpoint: 'svc-x', model: 'rms' },
    { ...DELIVERY, endpoint: 'rms', model: 'svc-x' },
  ]

  test('the key of a segment differs with everything that shapes the audio, and with the text', () => {
    const keys = variants.flatMap((voice) => [pieceKey(voice, 'One.'), pieceKey(voice, 'One. ')])
    expect(new Set(keys).size).toBe(2 * variants.length)
    for (const key of keys) expect(key).toMatch(/^[\da-f]{64}$/)
  })

  test.each<[string, Partial<VoiceSettings>]>([
    ['an empty name of the service', { endpoint: '' }],
    ['an empty language', { language: '' }],
    ['a marking that is not enabled', { aigc_metadata: { ...marked, enabled: false } }],
  ])('the key of a segment is the same without and with %s', (_, more) => {
    expect(pieceKey({ ...DELIVERY, ...more }, 'One.')).toBe(pieceKey(DELIVERY, 'One.'))
  })

  test('the key of a segment does not depend on the order of fields, nor on empty fields of the marking', () => {
    const { enabled, ...rest } = marked
    const turned = { ...rest, enabled }
    expect(Object.keys(turned)).not.toEqual(Object.keys(marked))
    const keyOf = (aigc_metadata: typeof marked): string => pieceKey({ ...DELIVERY, aigc_metadata }, 'One.')
    expect(keyOf(turned)).toBe(keyOf(marked))
    const empty = { ...DELIVERY, aigc_metadata: { enabled: true, content_propagator: '' } }
    expect(pieceKey(empty, 'One.')).toBe(pieceKey({ ...DELIVERY, aigc_metadata: { enabled: true } }, 'One.'))
  })
})

describe('the key of a page', () => {
  test('the key of a page differs with its segments, their order, the gap, the encoder and the format', () => {
    const [one, two] = SCRIPT.segments
    const scripts: NarrationScript[] = [
      SCRIPT,
      { ...SCRIPT, segments: [two ?? segment(''), one ?? segment('')] },
      { ...SCRIPT, segments: [segment('One.\n\nTwo.')] },
      { ...SCRIPT, segments: [...SCRIPT.segments, segment('Three.')] },
      { ...SCRIPT, gapSeconds: 0.6 },
      { ...SCRIPT, loudness: -16 },
      { ...SCRIPT, encoder: 'ffmpeg' },
      { ...SCRIPT, encoder: 'function' },
      { ...SCRIPT, format: 'flac' },
      { ...SCRIPT, voice: { ...DELIVERY, voice_id: 'slt' } },
    ]
    expect(new Set(scripts.map(pageKey)).size).toBe(scripts.length)
  })

  test('the key of a page does not depend on its source, its headings and its captions', () => {
    const heading = { level: 1, id: 'one', title: 'One' }
    const segments = [{ written: 'The first.', spoken: 'One.', heading }, segment('Two.')]
    expect(pageKey({ ...SCRIPT, source: 'b.md', segments })).toBe(pageKey(SCRIPT))
  })

  test.each<[string, Partial<NarrationScript>, boolean]>([
    ['one segment', { segments: [segment('One.')] }, true],
    ['one segment and another gap', { segments: [segment('One.')], gapSeconds: 3 }, true],
    ['one segment to encode', { segments: [segment('One.')], encoder: 'ffmpeg' }, false],
    ['one segment in another format', { segments: [segment('One.')], format: 'flac' }, false],
    ['one segment that gets another loudness', { segments: [segment('One.')], loudness: -16 }, false],
    ['two segments', {}, false],
  ])('the key of a page is that of the segment, for %s: %s', (_, more, isSame) => {
    const script = { ...SCRIPT, ...more }
    expect(isOnePiece(script)).toBe(isSame)
    expect(pageKey(script) === pieceKey(DELIVERY, 'One.')).toBe(isSame)
  })
})

test.each([
  ['', 0],
  ['a b', 3],
  ['ä', 1],
  ['😀', 1],
  ['👩‍👧', 3],
  ['你好', 2],
])('%o has %i billed characters', (text, count) => {
  expect(characters(text)).toBe(count)
})

describe('edges of segments', () => {
  const edges = (...spoken: string[]): string[] =>
    spoken.map((_, index) => {
      const { clipStart, clipEnd } = edgesOf(spoken.map(segment), index)
      return `${clipStart ? 'clip' : 'keep'}-${clipEnd ? 'clip' : 'keep'}`
    })

  test('the ends of the page stay, and edges between segments are clipped', () => {
    expect(edges('A.')).toEqual(['keep-keep'])
    expect(edges('A.', 'B.', 'C.')).toEqual(['keep-clip', 'clip-clip', 'clip-keep'])
  })

  test('a pause that the text asks for stays, at the side where it is', () => {
    expect(edges('A. [pause 1s]', ' [pause 0.5s] B.', 'C. [pause 2s] D.', 'E.')).toEqual([
      'keep-keep',
      'keep-clip',
      'clip-clip',
      'clip-keep',
    ])
  })
})

test('the error of missing audio quotes up to 60 characters, and names the remedy and the source', () => {
  const message = (text: string): string => new MissingNarrationError('posts/a.md', text).message
  expect(message('Short.')).toBe(
    `The cache has no audio of “Short.”. Build once with mode: 'auto' and a key, and commit cacheDir (source: posts/a.md)`,
  )
  expect(message('x'.repeat(60))).toContain(`“${'x'.repeat(60)}”`)
  expect(message('x'.repeat(61))).toContain(`“${'x'.repeat(57)}…”`)
})
