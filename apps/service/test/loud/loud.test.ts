import { expect, test } from 'vitest'
import { runLoud } from './run-loud.ts'

/**
 * Far above the bound of `pnpm suite loud`, because the machine of this test may be busy otherwise. Without fair shares, the
 * quiet tenant waits for minutes.
 */
const MOST_MS = 20_000

const ENGINES = [
  { engines: 'the bundled engines', far: false },
  { engines: 'a server that speaks and recognizes', far: true },
]

test.each(ENGINES)(
  'with $engines, a quiet tenant is served beside a loud one, in every format and kind',
  async ({ far }) => {
    const { rows, ends } = await runLoud({
      far,
      samples: 2,
      loudness: { unread: 6, encodings: 40, recordings: 4, tasks: 100, names: 20, measured: 3 },
      recordingMinutes: 60,
    })
    expect(rows.length).toBeGreaterThanOrEqual(14)
    expect(rows.filter(({ loud }) => !(loud.slow < MOST_MS))).toEqual([])
    // The floods were floods: the service refused nothing but names without an address.
    const refused = [...ends].flatMap(([kind, counts]) => [...counts.keys()].map((end) => `${kind} ${end}`))
    expect(refused.filter((end) => / [45]\d\d$/.test(end) && end !== 'names 400')).toEqual([])
    expect(ends.get('tasks')?.get('200')).toBe(100)
  },
  300_000,
)
