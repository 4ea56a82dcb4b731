import { getEventListeners } from 'node:events'
import { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, test } from 'vitest'

import { rejection } from '@svc-audio/kit/engine-fixtures/rejection.ts'
import { ManualClock } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import { SCRIPT, SCRIPTED_RECORDING_WORKER } from '@svc-audio/kit/engine-fixtures/script.ts'
import { EngineFailedError, EngineStuckError } from '@svc-audio/engine-ports'
import type { BlockSource } from '@svc-audio/engine-ports/listening'
import { RecordingJob, type RecordingReply, type RecordingRequest } from './recordings.ts'
import { SupervisedThread, type SupervisedThreadOptions } from './supervised-thread.ts'

const SCRIPTED_WORKER = SCRIPTED_RECORDING_WORKER
const never = new AbortController().signal

type Request = RecordingRequest
type Reply = RecordingReply<unknown>

/** A thread for one recording. */
class Listener extends SupervisedThread<Request, Reply> {
  listen(source: BlockSource, signal: AbortSignal, endExtra?: (samples: number) => number): Promise<unknown> {
    return this.run(new RecordingJob(source, endExtra), signal)
  }
}

const threads: Listener[] = []
afterEach(async () => {
  await Promise.all(threads.splice(0).map((thread) => thread.end()))
})

function start(options: Partial<SupervisedThreadOptions<Request, Reply>> = {}): Listener {
  const thread = new Listener(() => new Worker(SCRIPTED_WORKER), { label: 'The listener', ...options })
  threads.push(thread)
  return thread
}

/** Blocks of ten samples with these first samples. Counts the reads. */
function blocks(firsts: readonly number[]): { pulled: number; next(): Promise<Int16Array<ArrayBuffer> | undefined> } {
  return {
    pulled: 0,
    async next() {
      const first = firsts[this.pulled]
      this.pulled += 1
      return first === undefined ? undefined : new Int16Array(10).fill(first)
    },
  }
}

describe('a thread', () => {
  test('returns its worker’s result, and is then used up', async () => {
    const thread = start()
    expect(thread.alive).toBe(true)
    const found = await thread.listen(blocks(Array.from({ length: 50 }, () => 0)), never)
    expect(found).toEqual({ segments: [], durationSeconds: 500 / 16_000 })
    expect(thread.alive).toBe(false)
    await thread.free()
  })

  test('reads at most four blocks ahead', async () => {
    const source = blocks(Array.from({ length: 50 }, () => SCRIPT.keep))
    const thread = start()
    const rejected = rejection(thread.listen(source, never))
    while (source.pulled < 4) await new Promise(setImmediate)
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate)
    expect(source.pulled).toBe(4)
    await thread.end()
    expect(await rejected).toBeInstanceOf(EngineFailedError)
  })

  test.each([
    ['crashes', SCRIPT.crash, /crashed as told/],
    ['ends', SCRIPT.exit, /ended/],
  ])('rejects when its worker %s', async (_, script, message) => {
    const thread = start()
    const rejected = await rejection(thread.listen(blocks([0, script, 0]), never))
    expect(rejected).toBeInstanceOf(EngineFailedError)
    expect(String(rejected)).toMatch(message)
    expect(thread.alive).toBe(false)
    await thread.free()
  })

  test('rejects with the source’s error', async () => {
    const source = { next: async () => Promise.reject(new Error('the source is gone')) }
    await expect(start().listen(source, never)).rejects.toThrow('the source is gone')
  })
})

describe('an abort', () => {
  test('rejects at once with its reason, even while the worker hangs, and ends the worker', async () => {
    const thread = start()
    const controller = new AbortController()
    const source = blocks([SCRIPT.hang, 0, 0, 0, 0, 0])
    const rejected = rejection(thread.listen(source, controller.signal))
    while (source.pulled < 4) await new Promise(setImmediate)
    const reason = new Error('changed my mind')
    controller.abort(reason)
    expect(await rejected).toBe(reason)
    await thread.free()
  })

  test('rejects while the source is silent', async () => {
    const controller = new AbortController()
    const source = { next: async () => new Promise<undefined>(() => undefined) }
    const rejected = rejection(start().listen(source, controller.signal))
    controller.abort(new Error('too long'))
    expect(String(await rejected)).toContain('too long')
  })

  test('before the start reads nothing from the source, and still ends the thread', async () => {
    const source = blocks([0])
    const thread = start()
    await expect(thread.listen(source, AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late')
    expect(source.pulled).toBe(0)
    await thread.free()
    expect(thread.alive).toBe(false)
  })

  test('leaves no listener on the signal', async () => {
    const controller = new AbortController()
    await start().listen(blocks([0]), controller.signal)
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  })
})

test('a thread that is ended before its use exits', async () => {
  const thread = start()
  await thread.end()
  expect(thread.alive).toBe(false)
  await expect(thread.listen(blocks([0]), never)).rejects.toThrow(EngineFailedError)
})

describe('a worker that hangs', () => {
  test.each([
    ['over a block', [0, SCRIPT.hang, 0, 0, 0, 0, 0]],
    ['at the end', [0, SCRIPT.hangAtEnd]],
  ])('%s is ended at its deadline, and its recording rejects', async (_, firsts) => {
    const clock = new ManualClock()
    const thread = start({ clock })
    const source = blocks(firsts)
    const rejected = rejection(thread.listen(source, never))
    await wait(() => source.pulled === Math.min(firsts.length + 1, 5))
    await clock.pass(60_000)
    // Its earlier responses restarted its time.
    await clock.pass(60_000)
    expect(await rejected).toBeInstanceOf(EngineStuckError)
    expect(String(await rejected)).toContain('The listener did not answer')
    await thread.free()
    expect(clock.timers).toBe(0)
  })

  test('at the end has a longer deadline for more samples', async () => {
    const clock = new ManualClock()
    const thread = start({ clock, patience: 1000 })
    const source = blocks([SCRIPT.hangAtEnd])
    const rejected = rejection(thread.listen(source, never, (samples) => samples * 100))
    await wait(() => source.pulled === 2)
    await wait(() => clock.timers === 1)
    await clock.pass(1999)
    expect(thread.alive).toBe(true)
    await clock.pass(2000)
    expect(await rejected).toBeInstanceOf(EngineStuckError)
  })
})

test('a silent source does not count as a silent worker', async () => {
  const clock = new ManualClock()
  const thread = start({ clock })
  const more = Promise.withResolvers<undefined>()
  let pulled = 0
  const source = {
    next: async () => {
      pulled += 1
      return pulled === 1 ? new Int16Array(10) : more.promise
    },
  }
  const found = thread.listen(source, never)
  await wait(() => pulled === 2 && clock.timers === 0)
  await clock.pass(3_600_000)
  more.resolve(undefined)
  expect(await found).toEqual({ segments: [], durationSeconds: 10 / 16_000 })
  expect(clock.timers).toBe(0)
})

/** Processes messages until the condition holds. */
async function wait(until: () => boolean): Promise<void> {
  while (!until()) await new Promise(setImmediate)
}

test('the rest of a long recording steps back only while others wait', async () => {
  const posted: boolean[] = []
  let retired = 0
  let othersWait = false
  const second = new Int16Array(16_000)
  let sent = 0
  const next = async (): Promise<Int16Array<ArrayBuffer> | undefined> => {
    sent += 1
    othersWait = sent > 63
    return sent > 64 ? undefined : second.slice()
  }
  const job = new RecordingJob<unknown>({ next }, undefined, () => othersWait)
  await job.start({
    over: never,
    post(request) {
      if (request.type !== 'samples') return
      posted.push(request.background === true)
      job.receive({ type: 'consumed' })
    },
    watch: () => undefined,
    rest: () => undefined,
    retire: () => {
      retired += 1
    },
  })
  expect(posted).toEqual([...Array.from({ length: 63 }, () => false), true])
  expect(retired).toBe(1)
})
