import { beforeAll, describe, expect, test } from 'vitest'
import { MODEL } from './decoder.ts'
import { LanguageModel } from './language-model.ts'
import { pocketSphinxFiles } from '@svc-audio/pocketsphinx-en'
import { readModelFiles } from './decoder.ts'

let file: Uint8Array
let model: LanguageModel
beforeAll(() => {
  file =
    readModelFiles(pocketSphinxFiles.model).find(({ name }) => name === MODEL.language)?.content ?? new Uint8Array(0)
  model = new LanguageModel(file)
})

test('the words of the English model are its training words', () => {
  const { words } = model
  expect(words.size).toBe(72_547)
  for (const word of ['<s>', '</s>', 'the', 'london', 'zydeco']) expect(words.has(word)).toBe(true)
  expect(words.has('zorblax')).toBe(false)
})

describe('a copy with more words', () => {
  test('is a model with all words and the new ones', () => {
    const copy = new LanguageModel(model.with(['#0', '#1'], 1e-4))
    expect(copy.words).toEqual(new Set([...model.words, '#0', '#1']))
    expect(new LanguageModel(copy.with(['#2'], 1e-4)).words.size).toBe(72_550)
  })

  test('leaves the model unchanged', () => {
    const before = Buffer.from(file)
    model.with(['#0'], 1e-4)
    expect(before.equals(file)).toBe(true)
  })

  test('without new words is the same file', () => {
    expect(model.with([], 1e-4).equals(file)).toBe(true)
  })

  test('is limited by the width of the file’s numbers', () => {
    expect(() =>
      model.with(
        Array.from({ length: 60_000 }, () => 'x'),
        1e-4,
      ),
    ).toThrow(RangeError)
  })
})

describe('other files are refused', () => {
  test.each([
    ['nothing', () => new Uint8Array(0)],
    ['text', () => Buffer.from('\\data\\\nngram 1=3\n'.repeat(9))],
    ['a truncated model', () => file.subarray(0, 20_000_000)],
    ['a model with an extra byte', () => Buffer.concat([file, Buffer.of(0)])],
  ])('%s', (_name, content) => {
    expect(() => new LanguageModel(content())).toThrow(RangeError)
  })
})
