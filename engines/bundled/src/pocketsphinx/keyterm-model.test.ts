import { beforeAll, expect, test } from 'vitest'
import { MODEL, type ModelFile } from './decoder.ts'
import { modelWithKeyterms } from './keyterm-model.ts'
import { LanguageModel } from './language-model.ts'
import { pocketSphinxFiles } from '@svc-audio/pocketsphinx-en'
import { readModelFiles } from './package-files.ts'

const pause = async (): Promise<void> => {}

let files: ModelFile[]
beforeAll(() => {
  files = readModelFiles(pocketSphinxFiles)
})

/** Spells Latin words only. */
const pronounce = (word: string): string[] => (/^[a-z]+$/i.test(word) ? word.toUpperCase().split('') : [])

function textOf(model: readonly ModelFile[] | undefined, name: string): string {
  return Buffer.from(model?.find((file) => file.name === name)?.content ?? []).toString('latin1')
}

test('each term is a word of the dictionary, with the dictionary’s own pronunciations where it has them', async () => {
  const model = await modelWithKeyterms(files, ['Zab', 'either', 'Acme Zab', '日本'], { pronounce, pause })
  const added = textOf(model, MODEL.dictionary)
    .split('\n')
    .filter((line) => line.startsWith('#'))
  expect(added).toEqual(['#0 Z A B', '#1 IY DH ER', '#1(2) AY DH ER', '#2 AE K M IY Z A B'])
})

test('and of the language model', async () => {
  const model = await modelWithKeyterms(files, ['Zab', 'Acme Zab'], { pronounce, pause })
  const { words } = new LanguageModel(model?.find(({ name }) => name === MODEL.language)?.content ?? new Uint8Array(0))
  expect([words.has('#0'), words.has('#1'), words.has('#2')]).toEqual([true, true, false])
})

test('the dictionary loses only words that the decoder never hears', async () => {
  const model = await modelWithKeyterms(files, ['Zab'], { pronounce, pause })
  const { words } = new LanguageModel(files.find(({ name }) => name === MODEL.language)?.content ?? new Uint8Array(0))
  const lost = new Set(textOf(files, MODEL.dictionary).split('\n'))
  for (const line of textOf(model, MODEL.dictionary).split('\n')) lost.delete(line)
  expect(lost.size).toBeGreaterThan(50_000)
  for (const line of lost) expect(words.has(line.replace(/(?:\(\d+\))? .*/, ''))).toBe(false)
})

test('the acoustic model is unchanged', async () => {
  const model = await modelWithKeyterms(files, ['Zab'], { pronounce, pause })
  expect(model?.map(({ name }) => name)).toEqual(files.map(({ name }) => name))
  for (const { name, content } of files) {
    if (name === MODEL.dictionary || name === MODEL.language) continue
    expect(model?.find((file) => file.name === name)?.content).toBe(content)
  }
})

test('nothing changes without a term that has a sound', async () => {
  expect(await modelWithKeyterms(files, ['日本', '…'], { pronounce, pause })).toBeUndefined()
})

test('an abort stops it between two terms', async () => {
  const asked: string[] = []
  const enough = new Error('enough')
  const tools = {
    pronounce: (word: string) => {
      asked.push(word)
      return ['AA']
    },
    pause: async () => {
      if (asked.length === 2) throw enough
    },
  }
  await expect(modelWithKeyterms(files, ['zab', 'zeb', 'zib'], tools)).rejects.toBe(enough)
})

test('a phrase of many words takes two calls of the pronouncer at most', async () => {
  const asked: string[] = []
  const spell = (text: string): string[] => {
    asked.push(text)
    return pronounce(text.replaceAll(' ', ''))
  }
  const unknown = Array.from({ length: 50 }, (_, index) => `q${'x'.repeat(index % 3)}`).join(' ')
  const mixed = Array.from({ length: 25 }, () => 'the qx').join(' ')
  await modelWithKeyterms(files, [unknown, mixed, 'the qx acme qq'], { pronounce: spell, pause })
  expect(asked).toEqual([unknown, mixed, 'qx', 'qq'])
})
