import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { FirstAudioReport } from '../../apps/playground/bench/first-audio.ts'
import { atMost, type BenchCase, median } from '../harness/bench-case.ts'

const PROGRAM = fileURLToPath(new URL('../../apps/playground/bench/first-audio.ts', import.meta.url))

/** Longest way through the page, in requests without it. */
const MAX_RATIO = 1.5

/** The playground in Chromium: time to the first sample in the speakers, and long tasks while a stream plays. */
export const benchCase: BenchCase = {
  name: 'playground',
  description: 'the page in Chromium: click to first sample, against the first byte of a request without the page',
  async run(context) {
    context.progress('playground')
    const options = { signal: context.signal, timeout: 300_000 }
    const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM], options)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the program is of the same version
    const { page, direct, longTasks } = JSON.parse(stdout) as FirstAudioReport
    const [ours, limit] = [median(page), median(direct)]
    const ratio = ours / limit
    const first = { name: 'playground: click to the first sample', unit: 'ms', ours, limit, peers: {}, ratio }
    const { streaming, idle } = longTasks
    const name = 'playground: long tasks while a stream plays'
    const tasks = { name, unit: 'tasks', ours: streaming, limit: idle, peers: {}, ratio: null }
    return [
      { ...first, ...atMost('p50', ratio, MAX_RATIO) },
      { ...tasks, ...atMost('as idle', streaming, idle) },
    ]
  },
}
