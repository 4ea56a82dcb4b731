import { describe, expect, test } from 'vitest'
import { decode } from './decode.ts'
import type { Hearing, Step } from './model.ts'
import { END } from './tokens.ts'

/** A model that gives these tokens one after the other, and then the last of them for ever. */
function hearingOf(script: readonly number[], maxTokens: number): Hearing {
  let at = -1
  const step = async (): Promise<Step> => {
    at = Math.min(at + 1, script.length - 1)
    const scores = new Float32Array(20)
    scores[script[at] ?? END] = 1
    return { scores, memory: { past: {}, begun: true } }
  }
  return { maxTokens, begin: step, next: step }
}

const decoded = async (script: readonly number[], maxTokens: number): Promise<readonly number[]> =>
  (await decode(hearingOf(script, maxTokens), async () => undefined)).tokens

describe('a text that ends in its time', () => {
  test('keeps words that are said many times, and what is said behind them', async () => {
    const no = [7, 8, 7, 8, 7, 8, 7, 8, 7, 8, 9, 10]
    expect(await decoded([...no, END], 40)).toEqual(no)
  })

  test('keeps a whole sentence that is said eight times', async () => {
    const sentence = Array.from({ length: 8 }, () => [3, 4, 5, 6, 7, 8, 9, 10, 11, 12]).flat()
    expect(await decoded([...sentence, END], 100)).toEqual(sentence)
  })
})

describe('a text that is longer than anybody speaks in that time', () => {
  test('has the loop at its end once', async () => {
    expect(await decoded([3, 4, 5, 5], 30)).toEqual([3, 4, 5])
    const round = [7, 8, 9]
    expect(await decoded([3, ...Array.from({ length: 20 }, () => round).flat()], 31)).toEqual([3, ...round])
  })

  test('stays as it is without a loop', async () => {
    const tokens = Array.from({ length: 12 }, (_, index) => index + 3)
    expect(await decoded(tokens, 10)).toEqual(tokens.slice(0, 10))
  })
})
