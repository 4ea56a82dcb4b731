import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'

import { ManualClock } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import { createMoonshineEngine, type MoonshineParts } from './moonshine-engine.ts'
import { EngineClosedError, EngineFailedError, type RecognitionEngine } from '@svc-audio/engine-ports'
import { rejection } from '@svc-audio/kit/engine-fixtures/rejection.ts'
import { SCRIPT, SCRIPTED_WORKER } from '@svc-audio/kit/engine-fixtures/script.ts'

const engines: RecognitionEngine[] = []
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()))
})

/** The scripted worker reads no file. */
async function noFiles(): Promise<MoonshineParts> {
  return { moonshine: { encoder: '', decoder: '', tokens: '' }, silero: '' }
}

async function start(
  workers: number,
  find: () => Promise<MoonshineParts> = noFiles,
  clock?: ManualClock,
): Promise<RecognitionEngine> {
  const engine = await createMoonshineEngine({ workers, find, clock, worker: SCRIPTED_WORKER })
  engines.push(engine)
  return engine
}

/** A source that records its reads and its end. */
class Source implements AsyncIterable<Uint8Array> {
  readonly #scripts: number[]
  readonly #gate: Promise<unknown> | Error | undefined
  pulled = 0
  left = false

  /** @param scripts One block each. @param latch Delays the end of the source, or fails it. */
  constructor(scripts: readonly number[], gate?: Promise<unknown> | Error) {
    this.#scripts = [...scripts]
    this.#gate = gate
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return {
      next: async () => {
        this.pulled += 1
        const script = this.#scripts.shift()
        if (script !== undefined) return { done: false, value: new Uint8Array(16_000).fill(script, 0, 1) }
        if (this.#gate instanceof Error) throw this.#gate
        await this.#gate
        return { done: true, value: undefined }
      },
      return: async () => {
        this.left = true
        return { done: true, value: undefined }
      },
    }
  }
}

const forever = new Promise(() => undefined)

describe('recognize', () => {
  test('runs the recordings of one worker in sequence', async () => {
    const engine = await start(1)
    const gate = Promise.withResolvers<undefined>()
    const first = engine.recognize(new Source([0], gate.promise))
    const second = new Source([0])
    const later = [engine.recognize(second), engine.recognize(new Source([0, 0]))]
    await sleep(100)
    expect(second.pulled).toBe(0)
    gate.resolve(undefined)
    expect((await first).text).toBe('recording 1')
    expect((await Promise.all(later)).map(({ text }) => text)).toEqual(['recording 2', 'recording 3'])
  })

  test('runs one recording for each worker at a time', async () => {
    const engine = await start(2)
    const gate = Promise.withResolvers<undefined>()
    const sources = [0, 1, 2].map(() => new Source([0], gate.promise))
    const recognitions = sources.map((source) => engine.recognize(source))
    while ((sources[0]?.pulled ?? 0) * (sources[1]?.pulled ?? 0) === 0) await sleep(5)
    expect(sources[2]?.pulled).toBe(0)
    gate.resolve(undefined)
    await Promise.all(recognitions)
    expect(sources.map(({ left }) => left)).toEqual([false, false, false])
  })

  test('does not close a source that was read to its end', async () => {
    const source = new Source([0])
    await (await start(1)).recognize(source)
    expect(source.left).toBe(false)
  })

  test('rejects with the source’s error, and the worker stays', async () => {
    const engine = await start(1)
    const error = new Error('The disk is gone')
    await expect(engine.recognize(new Source([0], error))).rejects.toBe(error)
    expect((await engine.recognize(new Source([0]))).text).toBe('recording 2')
  })
})

describe('an abort', () => {
  test('before the start closes the source at once', async () => {
    const source = new Source([0])
    const reason = new Error('too late')
    await expect((await start(1)).recognize(source, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(source).toMatchObject({ pulled: 0, left: true })
  })

  test('in the queue closes the source, and the other recordings continue', async () => {
    const engine = await start(1)
    const gate = Promise.withResolvers<undefined>()
    const first = engine.recognize(new Source([0], gate.promise))
    const controller = new AbortController()
    const source = new Source([0])
    const queued = engine.recognize(source, { signal: controller.signal })
    const third = engine.recognize(new Source([0]))
    const reason = new Error('changed my mind')
    controller.abort(reason)
    await expect(queued).rejects.toBe(reason)
    expect(source).toMatchObject({ pulled: 0, left: true })
    gate.resolve(undefined)
    expect([(await first).text, (await third).text]).toEqual(['recording 1', 'recording 2'])
  })

  test('in the middle closes even a silent source, and the worker stays', async () => {
    const engine = await start(1)
    const controller = new AbortController()
    const source = new Source([0, 0], forever)
    const recognition = engine.recognize(source, { signal: controller.signal })
    while (source.pulled < 3) await sleep(5)
    const reason = new Error('changed my mind')
    controller.abort(reason)
    await expect(recognition).rejects.toBe(reason)
    expect(source.left).toBe(true)
    expect((await engine.recognize(new Source([0]))).text).toBe('recording 2')
  })

  test('an abort before the recognizer is found rejects at once, and other recordings still get it', async () => {
    const gate = Promise.withResolvers<MoonshineParts>()
    const engine = await start(2, () => gate.promise)
    const controller = new AbortController()
    const aborted = engine.recognize(new Source([0]), { signal: controller.signal })
    const other = engine.recognize(new Source([0]))
    controller.abort(new Error('changed my mind'))
    await expect(aborted).rejects.toThrow('changed my mind')
    gate.resolve(await noFiles())
    expect((await other).text).toBe('recording 1')
  })
})

describe('a failure', () => {
  test('of a worker rejects only its recording, and the worker is replaced', async () => {
    const engine = await start(2)
    const gate = Promise.withResolvers<undefined>()
    const bystander = engine.recognize(new Source([0], gate.promise))
    const crashing = new Source([0, SCRIPT.crash], forever)
    const crashed = engine.recognize(crashing)
    const next = engine.recognize(new Source([0]))
    await expect(crashed).rejects.toThrow(EngineFailedError)
    expect(crashing.left).toBe(true)
    expect((await next).text).toBe('recording 1')
    gate.resolve(undefined)
    expect((await bystander).text).toBe('recording 1')
  })

  test('a missing recognizer rejects the recording, and the next recording looks again', async () => {
    let attempts = 0
    const engine = await start(1, async () => {
      attempts += 1
      if (attempts === 1) throw new EngineFailedError('not installed')
      return noFiles()
    })
    const source = new Source([0])
    await expect(engine.recognize(source)).rejects.toThrow('not installed')
    expect(source.left).toBe(true)
    expect((await engine.recognize(new Source([0]))).text).toBe('recording 1')
    expect((await engine.recognize(new Source([0]))).text).toBe('recording 2')
    expect(attempts).toBe(2)
  })
})

describe('a minute of rest', () => {
  test('ends the thread; the next recording gets a new one', async () => {
    const clock = new ManualClock()
    const engine = await start(1, noFiles, clock)
    expect((await engine.recognize(new Source([0]))).text).toBe('recording 1')
    await clock.pass(59_999)
    expect((await engine.recognize(new Source([0]))).text).toBe('recording 2')
    await clock.pass(60_000)
    expect(clock.timers).toBe(0)
    const recognitions = [engine.recognize(new Source([0])), engine.recognize(new Source([0]))]
    expect((await Promise.all(recognitions)).map(({ text }) => text)).toEqual(['recording 1', 'recording 2'])
    await engine.close()
    expect(clock.timers).toBe(0)
  })
})

describe('close', () => {
  test('rejects running, queued and later recordings', async () => {
    const engine = await start(1)
    const running = new Source([0], forever)
    const waiting = new Source([0])
    const recognitions = [running, waiting].map((source) => rejection(engine.recognize(source)))
    while (running.pulled < 2) await sleep(5)
    await engine.close()
    for (const error of await Promise.all(recognitions)) expect(error).toBeInstanceOf(EngineClosedError)
    expect([running.left, waiting.left, waiting.pulled]).toEqual([true, true, 0])
    await expect(engine.recognize(new Source([0]))).rejects.toThrow(EngineClosedError)
    await engine.close()
  })
})
