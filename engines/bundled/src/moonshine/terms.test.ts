import { readFile } from 'node:fs/promises'
import { moonshineFiles } from '@svc-audio/moonshine-en'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Hearing, Step } from './model.ts'
import { decodeWithTerms, spellTerms, termsOf } from './terms.ts'
import { END, Tokens } from './tokens.ts'

let tokens: Tokens
beforeAll(async () => {
  tokens = new Tokens(await readFile(moonshineFiles.tokens))
})

/** A model that heard a text, and finds each token of another one somewhat less likely. */
function hearingOf(text: string, other: string, gap: number): Hearing {
  const texts = [text, other].map((one) => tokens.encode(` ${one}`).concat(END))
  const said: number[] = []
  const stepAfter = (before: readonly number[]): Step => {
    const scores = new Float32Array(32_768)
    for (const [index, ids] of texts.entries()) {
      const fits = before.every((id, at) => ids[at] === id)
      const next = ids[before.length]
      if (fits && next !== undefined) scores[next] = Math.max(scores[next] ?? 0, 30 - index * gap)
    }
    return { scores, memory: { past: {}, begun: true, before } as Step['memory'] }
  }
  return {
    maxTokens: 100,
    begin: async () => stepAfter(said),
    next: async (memory, token) => {
      const before = 'before' in memory && Array.isArray(memory.before) ? memory.before : []
      return stepAfter([...before, token])
    },
  }
}

async function heard(hearing: Hearing, terms: readonly string[]): Promise<string> {
  return tokens.decode((await decodeWithTerms(hearing, termsOf(terms, tokens), async () => undefined)).tokens)
}

describe('decoding with terms', () => {
  test('prefers a term that is nearly as likely as another text', async () => {
    expect(await heard(hearingOf('Call Nor Vick now', 'Call Norvik now', 3), ['Norvik'])).toBe('Call Norvik now')
  })

  test('keeps the other text without the term', async () => {
    expect(await heard(hearingOf('Call Nor Vick now', 'Call Norvik now', 3), ['Zorblax'])).toBe('Call Nor Vick now')
  })

  test('keeps the other text where the term is far less likely', async () => {
    expect(await heard(hearingOf('Call Nor Vick now', 'Call Norvik now', 20), ['Norvik'])).toBe('Call Nor Vick now')
  })
})

describe('the spelling of terms', () => {
  test.each([
    ['My brother works in new york.', ['New York'], 'My brother works in New York.'],
    ['New york and York', ['york', 'New York'], 'New York and york'],
    ['A companyman of the company.', ['Company'], 'A companyman of the Company.'],
    ['it is c++, she said', ['C++'], 'it is C++, she said'],
    ['nothing', ['', ' '], 'nothing'],
  ])('%s with %j', (text, terms, spelled) => {
    expect(spellTerms(text, terms)).toBe(spelled)
  })
})
