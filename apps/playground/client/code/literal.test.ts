import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { curlJson } from './client-code.ts'
import { block, inline, literal } from './snippet.ts'

describe('a literal', () => {
  test.each([
    ["it's"],
    ['a "quote"'],
    ['two\nlines\ttab'],
    [String.raw`back\slash and \" both`],
    ['${not} a `template`'],
    ['语音, émoji 🎧 and \u2028'],
  ])('a literal of %j has its value again', (text) => {
    expect(runInNewContext(literal(text))).toBe(text)
  })
  test('a literal has single quotes', () => {
    expect(literal('He said "no"')).toBe(`'He said "no"'`)
  })
})

test('fields without a value are left out', () => {
  expect(block({ model: 'svc-tts-1.5-flash', speed: 1.5, voice_id: undefined })).toBe(
    "{\n  model: 'svc-tts-1.5-flash',\n  speed: 1.5,\n}",
  )
})

test('an object is a line, and a list of objects has a line for each', () => {
  const speakers = [
    { id: 'A', voice_id: "o'neil" },
    { id: 'B', voice_id: undefined },
  ]
  expect(inline({ text: 'a', list: ['b', 1], none: undefined })).toBe("{ text: 'a', list: ['b', 1] }")
  expect(block({ speakers, terms: ['x'] }, 2)).toBe(
    [
      '{',
      '    speakers: [',
      String.raw`      { id: 'A', voice_id: 'o\'neil' },`,
      "      { id: 'B' },",
      '    ],',
      "    terms: ['x'],",
      '  }',
    ].join('\n'),
  )
})

test('the body of curl is between the marks of a quoted heredoc', () => {
  const body = { input: 'It\'s "JSON"\nJSON\n$HOME `id`' }
  const command = curlJson('/v1/audio/speech', body, ['--output speech.mp3'])
  const sent = /<<'JSON'\n(.*)\nJSON\n$/s.exec(command)?.[1] ?? ''
  expect(JSON.parse(sent)).toEqual(body)
  // The end mark stands alone on its line once only.
  expect(command.split('\n').filter((line) => line === 'JSON')).toHaveLength(1)
})
