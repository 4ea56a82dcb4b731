import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { createDiarizer } from '../src/diarizer/diarizer-engine.ts'
import { makeDialogue } from './diarization/dialogue.ts'
import { scoreDiarization, type Score } from './diarization/score.ts'
import { chunked } from '@svc-audio/kit/engine-fixtures/signals.ts'

/*
 * Thresholds were tuned on dialogues with seeds below 100. These seeds are a blind test: tune the diarizer on other
 * seeds.
 */
const FIRST_SEED = 1001
const DIALOGUES = 20

interface Result extends Score {
  readonly seed: number
  readonly speakers: number
  readonly voices: string
}

const engine = createDiarizer({ workers: 1 })
const results: Result[] = []

beforeAll(async () => {
  for (let index = 0; index < DIALOGUES; index += 1) {
    const speakers = 1 + (index % 5)
    const { samples, voices, spans } = await makeDialogue(FIRST_SEED + index, speakers)
    const { segments } = await engine.diarize(chunked(samples))
    results.push({
      seed: FIRST_SEED + index,
      speakers,
      ...scoreDiarization(spans, segments),
      voices: voices.map(({ base, pitch }) => `${base} ${pitch.toFixed(0)} Hz`).join(', '),
    })
  }
  // A minute on a free core, for 25 minutes of speech.
}, 900_000)

afterAll(async () => engine.close())

/** The result of each dialogue, for the output of a run. */
const report = (): string =>
  results
    .map(
      ({ seed, speakers, found, right, extra, voices }) =>
        `${seed}: ${found} found of ${speakers}, ${percent(right)} right, ${percent(extra)} extra (${voices})`,
    )
    .join('\n')

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

const average = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

describe('twenty unseen dialogues of one to five speakers', () => {
  test('have nine tenths of the speaking time right on average', ({ annotate }) => {
    void annotate(report())
    expect(average(results.map(({ right }) => right))).toBeGreaterThanOrEqual(0.9)
  })

  test('nearly always have the right number of speakers', () => {
    const counted = results.filter(({ speakers, found }) => found === speakers)
    expect(counted.length).toBeGreaterThanOrEqual(17)
  })

  test('have little speech in silence', () => {
    expect(average(results.map(({ extra }) => extra))).toBeLessThan(0.1)
  })
})
