import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { speakableStream } from './speakable-stream.ts'
import { speakable } from './speakable.ts'

async function* chunked(text: string, size: number): AsyncGenerator<string, void, undefined> {
  for (let from = 0; from < text.length; from += size) yield text.slice(from, from + size)
}

async function collect(chunks: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = []
  for await (const chunk of chunks) all.push(chunk)
  return all
}

test('streamed text becomes what the whole text becomes', async () => {
  const part = fc.constantFrom(
    '# A',
    '**b',
    '** ',
    '\n',
    '\n\n',
    '\r\n',
    '```\n',
    '- c',
    '> ',
    '`d`',
    'http://e.f/g',
    ' ',
    '~~~',
    '😀',
    '[h](i)',
  )
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 40 }), fc.integer({ min: 1, max: 9 }), async (parts, size) => {
      const text = parts.join('')
      expect((await collect(speakableStream(chunked(text, size)))).join('')).toBe(speakable(text))
    }),
    { numRuns: 300 },
  )
})

test('a paragraph is given when it has ended, and none ends within code', async () => {
  const text = '**a**\nb\n\nc\n```\nd\n\ne\n```\nf\n\ng'
  expect(await collect(speakableStream(chunked(text, 2)))).toEqual(['a\nb\n\n', 'c\nf\n\n', 'g'])
})

test('options count', async () => {
  expect(await collect(speakableStream(chunked('a 😀', 1), { emoji: 'keep' }))).toEqual(['a 😀'])
})

test.each(['x', 'x\n'])('a paragraph that never ends is taken in parts: %j', async (part) => {
  const text = part.repeat(50_000)
  const parts = await collect(speakableStream(chunked(text, 1000)))
  expect(parts.join('')).toBe(text)
  expect(Math.max(...parts.map((one) => one.length))).toBeLessThan(18_000)
})
