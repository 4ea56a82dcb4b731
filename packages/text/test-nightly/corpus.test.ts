import { expect, test } from 'vitest'
import { corpusFiles, lostWords } from '../test/score/corpus.ts'

test('no README, page or post of the corpus loses 20 words', async () => {
  const files = await corpusFiles()
  expect(files.length).toBeGreaterThan(100)
  expect(files.filter((file) => lostWords(file).length >= 20).map(({ name }) => name)).toEqual([])
})
