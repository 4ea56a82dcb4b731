import { describe, expect, test } from 'vitest'
import { type TurnChange, TurnDetector, type TurnOptions } from './turns.ts'

const OPTIONS: TurnOptions = { threshold: 0.5, prefixPaddingMs: 320, silenceDurationMs: 480 }

/** The changes of consecutive frames: the number of frames, and their probability. */
function changes(spans: readonly (readonly [frames: number, probability: number])[], options = OPTIONS): TurnChange[] {
  const turns = new TurnDetector(options)
  return spans.flatMap(([frames, probability]) =>
    Array.from({ length: frames }, () => turns.push(probability)).filter((change) => change !== undefined),
  )
}

describe('a turn', () => {
  test('begins before its first speech and ends after its last', () => {
    expect(
      changes([
        [50, 0],
        [40, 0.9],
        [50, 0],
      ]),
    ).toEqual([
      { type: 'started', frame: 40 },
      { type: 'stopped', frame: 96, continues: false },
    ])
  })

  test('lasts through a pause that is shorter than the silence', () => {
    expect(
      changes([
        [20, 0],
        [20, 0.9],
        [14, 0],
        [20, 0.9],
        [20, 0],
      ]).map(({ type }) => type),
    ).toEqual(['started', 'stopped'])
  })

  test('needs more than a click', () => {
    expect(
      changes([
        [20, 0],
        [2, 1],
        [50, 0],
      ]),
    ).toEqual([])
  })

  test('of a speaker without a pause is cut at the least likely speech, and continues', () => {
    const [, cut] = changes([
      [600, 0.9],
      [3, 0.6],
      [400, 0.9],
    ])
    expect(cut).toMatchObject({ type: 'stopped', continues: true })
    expect(cut?.frame).toBeGreaterThanOrEqual(600)
    expect(cut?.frame).toBeLessThan(603)
  })

  test('of half a minute ends at a short pause', () => {
    expect(
      changes([
        [600, 0.9],
        [8, 0],
        [1, 0.9],
      ]).map(({ type }) => type),
    ).toEqual(['started', 'stopped'])
  })
})
