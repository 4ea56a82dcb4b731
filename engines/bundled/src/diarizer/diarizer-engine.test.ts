import { afterEach, describe, expect, test } from 'vitest'

import { type DiarizationEngine, EngineClosedError, EngineFailedError } from '@svc-audio/engine-ports'
import { makeDialogue } from '../../test/diarization/dialogue.ts'
import { rejection } from '@svc-audio/kit/engine-fixtures/rejection.ts'
import { SCRIPT, SCRIPTED_RECORDING_WORKER } from '@svc-audio/kit/engine-fixtures/script.ts'
import { chunked } from '@svc-audio/kit/engine-fixtures/signals.ts'
import { prioritiesOf, threadsHavePriorities } from '@svc-audio/kit/engine-fixtures/thread-priorities.ts'
import { BACKGROUND_PRIORITY } from '@svc-audio/engine-ports/driver'
import { createDiarizer } from './diarizer-engine.ts'
import { Diarizer } from './diarizer.ts'

const SCRIPTED_WORKER = SCRIPTED_RECORDING_WORKER

const engines: DiarizationEngine[] = []
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()))
})

function kept<Engine extends DiarizationEngine>(engine: Engine): Engine {
  engines.push(engine)
  return engine
}

const scripted = (workers: number): DiarizationEngine => kept(createDiarizer({ workers, worker: SCRIPTED_WORKER }))

/** A second of audio that begins with this sample. */
const second = (first: number): Int16Array<ArrayBuffer> => new Int16Array(16_000).fill(first, 0, 1)

/** A source that never ends, of seconds that begin with this sample. Records its reads and its end. */
function endless(first = 0): { pcm: AsyncGenerator<Uint8Array>; read: Promise<undefined>; left: Promise<undefined> } {
  const read = Promise.withResolvers<undefined>()
  const left = Promise.withResolvers<undefined>()
  async function* flow(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        yield new Uint8Array(second(first).buffer)
        read.resolve(undefined)
      }
    } finally {
      left.resolve(undefined)
    }
  }
  return { pcm: flow(), read: read.promise, left: left.promise }
}

describe('a dialogue', () => {
  test('gives the same result in a thread as without, in chunks that cut samples', async () => {
    const { samples } = await makeDialogue(2, 2)
    const alone = new Diarizer()
    await alone.push(samples)
    expect(await kept(createDiarizer({ graph: false })).diarize(chunked(samples, 3333))).toEqual(await alone.end())
  })

  test('of no bytes, or of one, has no segments', async () => {
    const engine = kept(createDiarizer())
    expect(await engine.diarize(chunked(new Int16Array(0)))).toEqual({ segments: [], durationSeconds: 0 })
    async function* one(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(1)
    }
    expect(await engine.diarize(one())).toEqual({ segments: [], durationSeconds: 0 })
  })
})

describe('recordings at the same time', () => {
  test('all finish, even if they outnumber the workers', async () => {
    const engine = scripted(2)
    const lengths = [1, 2, 3, 4, 5]
    const found = await Promise.all(lengths.map((seconds) => engine.diarize(chunked(new Int16Array(16_000 * seconds)))))
    expect(found.map(({ durationSeconds }) => durationSeconds)).toEqual(lengths)
  })

  test('a crash does not affect the next recording', async () => {
    const engine = scripted(1)
    const crashed = rejection(engine.diarize(chunked(second(SCRIPT.crash))))
    const next = engine.diarize(chunked(second(0)))
    expect(await crashed).toBeInstanceOf(EngineFailedError)
    expect(await next).toMatchObject({ durationSeconds: 1 })
  })

  test('an abort before the thread’s start lets the next recording in', async () => {
    const engine = scripted(1)
    const controller = new AbortController()
    const early = rejection(engine.diarize(chunked(second(0)), { signal: controller.signal }))
    const next = engine.diarize(chunked(second(0)))
    controller.abort(new Error('at once'))
    expect(String(await early)).toContain('at once')
    expect(await next).toMatchObject({ durationSeconds: 1 })
  })

  test('a recording that hangs is aborted, and the next gets its slot', async () => {
    const engine = scripted(1)
    const controller = new AbortController()
    const { pcm, read } = endless(SCRIPT.hang)
    const hanging = rejection(engine.diarize(pcm, { signal: controller.signal }))
    const next = engine.diarize(chunked(second(0)))
    await read
    controller.abort(new Error('changed my mind'))
    expect(String(await hanging)).toContain('changed my mind')
    expect(await next).toMatchObject({ durationSeconds: 1 })
  })
})

describe('a source', () => {
  test('is closed when its recording is aborted', async () => {
    const { pcm, read, left } = endless()
    const controller = new AbortController()
    const rejected = rejection(scripted(1).diarize(pcm, { signal: controller.signal }))
    await read
    controller.abort(new Error('enough'))
    expect(String(await rejected)).toContain('enough')
    await left
  })

  test('that fails rejects with its error', async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(32_000)
      throw new Error('the file is broken')
    }
    await expect(scripted(1).diarize(failing())).rejects.toThrow('the file is broken')
  })
})

describe('close', () => {
  test('rejects running and queued recordings, and resolves after all threads have exited', async () => {
    const engine = scripted(1)
    const { pcm, read } = endless()
    const running = rejection(engine.diarize(pcm))
    await read
    const waiting = rejection(engine.diarize(chunked(second(0))))
    await engine.close()
    expect(await running).toBeInstanceOf(EngineClosedError)
    expect(await waiting).toBeInstanceOf(EngineClosedError)
  })

  test('refuses later recordings, and can be called again', async () => {
    const engine = createDiarizer()
    await engine.close()
    await expect(engine.diarize(chunked(second(0)))).rejects.toThrow(EngineClosedError)
    await engine.close()
  })
})

test.each([0, -1, 1.5, NaN])('%d workers are refused', (workers) => {
  expect(() => createDiarizer({ workers })).toThrow(RangeError)
})

test.runIf(threadsHavePriorities)('the work on a recording has a lower priority after its first minute', async () => {
  const seen: boolean[] = []
  async function* long(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < 65; at += 1) yield new Uint8Array(second(0).buffer)
    seen.push(prioritiesOf(process.pid).includes(BACKGROUND_PRIORITY))
  }
  const before = prioritiesOf(process.pid)
  const { durationSeconds } = await kept(createDiarizer()).diarize(long())
  expect([durationSeconds, before.includes(BACKGROUND_PRIORITY), ...seen]).toEqual([65, false, true])
})
