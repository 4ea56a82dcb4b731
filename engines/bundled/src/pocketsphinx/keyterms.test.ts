import { pocketSphinxFiles } from '@svc-audio/pocketsphinx-en'
import { beforeAll, expect, test } from 'vitest'
import { MODEL, type ModelFile } from './decoder.ts'
import { Dictionary, keytermToken, modelWithKeyterms, spellKeyterms } from './keyterms.ts'
import { LanguageModel } from './language-model.ts'
import { readModelFiles } from './decoder.ts'

const pause = async (): Promise<void> => {}

let files: ModelFile[]
beforeAll(() => {
  files = readModelFiles(pocketSphinxFiles.model)
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

/** Words that last a second each. */
const heard = (text: string) =>
  text.split(' ').map((word, index) => ({ word, startSecond: index, endSecond: index + 1 }))

const spelled = (text: string, keyterms: readonly string[]): string[] =>
  spellKeyterms(heard(text), keyterms).map(({ word }) => word)

test('a token becomes its term', () => {
  const terms = ['Zorblax', 'Acme Robotics']
  expect(spelled(`call ${keytermToken(1)} or ${keytermToken(0)}`, terms)).toEqual([
    'call',
    'Acme Robotics',
    'or',
    'Zorblax',
  ])
})

test('plain words that equal a term take its spelling, a phrase from its first word to its last', () => {
  expect(spellKeyterms(heard('in new york they ski'), ['New York', 'Ski'])).toEqual([
    { word: 'in', startSecond: 0, endSecond: 1 },
    { word: 'New York', startSecond: 1, endSecond: 3 },
    { word: 'they', startSecond: 3, endSecond: 4 },
    { word: 'Ski', startSecond: 4, endSecond: 5 },
  ])
})

test('the longest term wins, and a part of one does not count', () => {
  expect(spelled('new york times and new yorkers', ['York', 'New York Times', 'New York'])).toEqual([
    'New York Times',
    'and',
    'new',
    'yorkers',
  ])
})

test('without keyterms words are unchanged, and so is an unknown token', () => {
  expect(spelled('new york', [])).toEqual(['new', 'york'])
  expect(spelled('#7', ['Acme'])).toEqual(['#7'])
  expect(spellKeyterms([], ['Acme'])).toEqual([])
})

const dictionary = new Dictionary(Buffer.from("'bout B AW T\nread R EH D\nread(2) R IY D\nreader R IY D ER\nthe DH AH"))

test('a word has all its pronunciations', () => {
  expect(dictionary.pronunciations('read')).toEqual(['R EH D', 'R IY D'])
  expect(dictionary.pronunciations('the')).toEqual(['DH AH'])
  expect(dictionary.pronunciations("'bout")).toEqual(['B AW T'])
})

test.each(['rea', 'ader', 'Read', '', 'read(2)x', 'R', '.*'])('%j is not in it', (word) => {
  expect(dictionary.pronunciations(word)).toEqual([])
})

test('a smaller one has the chosen words, with all their pronunciations', () => {
  expect(dictionary.only(new Set(['read', 'the', 'unknown']))).toBe('read R EH D\nread(2) R IY D\nthe DH AH\n')
})
