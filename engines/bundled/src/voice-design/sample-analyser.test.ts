import { getEventListeners } from 'node:events'
import { afterEach, describe, expect, test } from 'vitest'
import { rejection } from '@svc-audio/kit/engine-fixtures/rejection.ts'
import { SCRIPT, SCRIPTED_RECORDING_WORKER } from '@svc-audio/kit/engine-fixtures/script.ts'
import { ManualClock } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import { buzz, chunksOf } from '@svc-audio/kit/engine-fixtures/voice-samples.ts'
import { analyseSample } from './analyse-sample.ts'
import {
  EngineClosedError,
  EngineFailedError,
  EngineStuckError,
  type SampleAnalyser,
  UnusableSampleError,
} from '@svc-audio/engine-ports'
import { createSampleAnalyser, type SampleAnalyserOptions } from './sample-analyser.ts'

const worker = SCRIPTED_RECORDING_WORKER
const limits = { minSeconds: 1, maxSeconds: 300 }

const analysers: SampleAnalyser[] = []
afterEach(async () => {
  await Promise.all(analysers.splice(0).map((analyser) => analyser.close()))
})

function start(options: Partial<SampleAnalyserOptions> = {}): SampleAnalyser {
  const analyser = createSampleAnalyser({ limits, workers: 1, ...options })
  analysers.push(analyser)
  return analyser
}

/** A second that begins with a sample that is a script. */
async function* scripted(first: number): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(Int16Array.from({ length: 16_000 }, (_, index) => (index === 0 ? first : 0)).buffer)
}

describe('a sample', () => {
  test('gives the same result in a thread as without', async () => {
    const pcm = buzz(140, 3, 4)
    expect(await start().analyse(chunksOf(pcm, 3333))).toEqual(await analyseSample(chunksOf(pcm), limits))
  })

  test('without a voice is refused with the same message', async () => {
    const failed = rejection(start().analyse(chunksOf(buzz(140, 0.5, 4))))
    expect(await failed).toBeInstanceOf(UnusableSampleError)
    expect(String(await failed)).toContain('The sample is shorter than 1 s')
  })

  test('that is too long is not read to its end, and its source is closed', async () => {
    const left = Promise.withResolvers<number>()
    async function* endless(): AsyncGenerator<Uint8Array> {
      let read = 0
      try {
        for (; ; read += 1) yield new Uint8Array(32_000)
      } finally {
        left.resolve(read)
      }
    }
    const failed = start({ limits: { minSeconds: 1, maxSeconds: 10 } }).analyse(endless())
    await expect(failed).rejects.toThrow('longer than 10 s')
    expect(await left.promise).toBeLessThan(20)
  })

  test('leaves this thread free during the measurement', async () => {
    let turns = 0
    const turn = (): void => {
      turns += 1
      next = setImmediate(turn)
    }
    let next = setImmediate(turn)
    // All of it is available at once: a measurement in this thread would block other work until the end.
    await start().analyse(chunksOf(buzz(140, 60, 4)))
    clearImmediate(next)
    expect(turns).toBeGreaterThan(100)
  })
})

describe('a thread', () => {
  test('that crashes fails only its sample', async () => {
    const analyser = start({ worker })
    const crashed = rejection(analyser.analyse(scripted(SCRIPT.crash)))
    const next = analyser.analyse(scripted(0))
    expect(await crashed).toBeInstanceOf(EngineFailedError)
    await next
  })

  test('that hangs is ended at its deadline', async () => {
    const clock = new ManualClock()
    const analyser = start({ worker, clock })
    const rejected = rejection(analyser.analyse(scripted(SCRIPT.hang)))
    while (clock.timers === 0) await new Promise(setImmediate)
    await clock.pass(60_000)
    expect(await rejected).toBeInstanceOf(EngineStuckError)
    expect(clock.timers).toBe(0)
  })

  test('is ended on an abort, and the next sample gets its slot', async () => {
    const analyser = start({ worker })
    const controller = new AbortController()
    const hanging = rejection(analyser.analyse(scripted(SCRIPT.hang), { signal: controller.signal }))
    const next = analyser.analyse(scripted(0))
    controller.abort(new Error('gone'))
    expect(String(await hanging)).toContain('gone')
    await next
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  })
})

test('a close rejects running and later samples', async () => {
  const analyser = start({ worker })
  const running = rejection(analyser.analyse(scripted(SCRIPT.hang)))
  await analyser.close()
  expect(await running).toBeInstanceOf(EngineClosedError)
  await expect(analyser.analyse(scripted(0))).rejects.toThrow('is closed')
})
