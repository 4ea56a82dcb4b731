import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, test } from 'vitest'

import { EngineFailedError, EngineStuckError, type Recognition, type RecognizeOptions } from '@svc-audio/engine-ports'
import type { BlockSource } from '@svc-audio/engine-ports/listening'
import {
  RecognitionJob,
  type RecognitionThread,
  type RecognitionThreadOptions,
  startRecognitionThread,
} from './moonshine-engine.ts'
import { ManualClock } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import { rejection } from '@svc-audio/kit/engine-fixtures/rejection.ts'
import { SCRIPT, SCRIPTED_WORKER } from '@svc-audio/kit/engine-fixtures/script.ts'

const threads: RecognitionThread[] = []
afterEach(async () => {
  await Promise.all(threads.splice(0).map((thread) => thread.end()))
})

function start(options: RecognitionThreadOptions = {}): RecognitionThread {
  const thread = startRecognitionThread(() => new Worker(SCRIPTED_WORKER), options)
  threads.push(thread)
  return thread
}

function recognize(
  thread: RecognitionThread,
  source: BlockSource,
  { signal, ...options }: RecognizeOptions & { readonly signal: AbortSignal },
): Promise<Recognition> {
  return thread.run(new RecognitionJob(source, options), signal)
}

/** Blocks of half a second that begin with these samples. */
function blocks(...firsts: readonly number[]): BlockSource & { pulled: number } {
  const rest = [...firsts]
  return {
    pulled: 0,
    async next() {
      this.pulled += 1
      const first = rest.shift()
      return first === undefined ? undefined : new Int16Array(8000).fill(first, 0, 1)
    },
  }
}

/** A source that yields these blocks and then neither a block nor its end. */
function silentAfter(...firsts: readonly number[]): BlockSource {
  const source = blocks(...firsts)
  return { next: async () => (await source.next()) ?? new Promise<never>(() => undefined) }
}

const never = new AbortController().signal

describe('a recognition thread', () => {
  test('recognizes one recording after the other', async () => {
    const thread = start()
    expect(await recognize(thread, blocks(0, 0, 0), { signal: never })).toMatchObject({
      text: 'recording 1',
      durationSeconds: 1.5,
    })
    expect(await recognize(thread, blocks(), { signal: never })).toMatchObject({
      text: 'recording 2',
      durationSeconds: 0,
    })
  })

  test('reports words as they are heard, and uses the keyterms', async () => {
    const thread = start()
    const heard: string[] = []
    const onWords: RecognizeOptions['onWords'] = (words) => void heard.push(...words.map(({ word }) => word))
    const source = blocks(SCRIPT.say, 0, SCRIPT.say)
    await recognize(thread, source, { signal: never, keyterms: ['Acme', 'Zorblax'], onWords })
    expect(heard).toEqual(['Acme,Zorblax', 'Acme,Zorblax'])
    await recognize(thread, blocks(SCRIPT.say), { signal: never, onWords })
    expect(heard.slice(2)).toEqual([''])
  })

  test('reads more only after the thread has consumed its blocks', async () => {
    const thread = start()
    const source = blocks(...Array.from({ length: 20 }, () => SCRIPT.keep))
    const controller = new AbortController()
    const recognition = recognize(thread, source, { signal: controller.signal })
    await sleep(100)
    expect(source.pulled).toBe(4)
    controller.abort(new Error('enough'))
    await expect(recognition).rejects.toThrow('enough')
    await sleep(20)
    expect(source.pulled).toBe(4)
  })

  test('an abort rejects with its reason, and the thread still recognizes', async () => {
    const thread = start()
    const controller = new AbortController()
    const recognition = recognize(thread, silentAfter(0), { signal: controller.signal })
    const reason = new Error('changed my mind')
    controller.abort(reason)
    await expect(recognition).rejects.toBe(reason)
    await thread.free()
    expect(thread.alive).toBe(true)
    expect(await recognize(thread, blocks(0), { signal: never })).toMatchObject({
      text: 'recording 2',
      durationSeconds: 0.5,
    })
  })

  test('an error of the source rejects with it, and the thread still recognizes', async () => {
    const thread = start()
    const error = new Error('The disk is gone')
    await expect(recognize(thread, { next: () => Promise.reject(error) }, { signal: never })).rejects.toBe(error)
    await thread.free()
    expect(await recognize(thread, blocks(0), { signal: never })).toMatchObject({ durationSeconds: 0.5 })
  })

  test('a thread that does not stop is ended', async () => {
    const thread = start({ cancelTimeout: 50 })
    const controller = new AbortController()
    const recognition = recognize(thread, silentAfter(SCRIPT.hang), { signal: controller.signal })
    await sleep(50)
    controller.abort()
    await expect(recognition).rejects.toThrow('aborted')
    await thread.free()
    expect(thread.alive).toBe(false)
  })

  test('a crash rejects with its cause', async () => {
    const thread = start()
    const recognition = recognize(thread, silentAfter(0, SCRIPT.crash), { signal: never })
    await expect(recognition).rejects.toThrow(EngineFailedError)
    await expect(recognition).rejects.toThrow('The speech recognizer failed: crashed as told')
    expect(thread.alive).toBe(false)
    await expect(recognize(thread, blocks(0), { signal: never })).rejects.toThrow(EngineFailedError)
  })

  test('a thread that exits by itself rejects', async () => {
    const thread = start()
    await expect(recognize(thread, silentAfter(SCRIPT.exit), { signal: never })).rejects.toThrow(EngineFailedError)
  })

  test('an aborted signal stops it before the first block', async () => {
    const thread = start()
    const source = blocks(0)
    await expect(recognize(thread, source, { signal: AbortSignal.abort(new Error('too late')) })).rejects.toThrow(
      'too late',
    )
    expect(source.pulled).toBe(0)
  })

  test('the end of the thread rejects its recording', async () => {
    const thread = start()
    const rejected = rejection(recognize(thread, silentAfter(0), { signal: never }))
    await thread.end()
    expect(await rejected).toBeInstanceOf(EngineFailedError)
    expect(thread.alive).toBe(false)
  })
})

describe('a recognizer that hangs', () => {
  test.each([
    ['over a block', [SCRIPT.hang, 0, 0, 0, 0, 0]],
    ['at the end', [SCRIPT.hangAtEnd]],
  ])('%s is ended at its deadline, and its recording rejects', async (_, firsts) => {
    const clock = new ManualClock()
    const thread = start({ clock })
    const source = blocks(...firsts)
    const rejected = rejection(recognize(thread, source, { signal: never }))
    await wait(() => source.pulled === Math.min(firsts.length + 1, 4) && clock.timers === 1)
    await clock.pass(59_999)
    expect(thread.alive).toBe(true)
    // Its earlier responses restarted its time.
    await clock.pass(60_000)
    expect(await rejected).toBeInstanceOf(EngineStuckError)
    await thread.free()
    expect(thread.alive).toBe(false)
    expect(clock.timers).toBe(0)
  })

  test('differs from a recognizer with a silent source', async () => {
    const clock = new ManualClock()
    const thread = start({ clock })
    const controller = new AbortController()
    const rejected = rejection(recognize(thread, silentAfter(0, 0), { signal: controller.signal }))
    await wait(() => clock.timers === 1)
    await wait(() => clock.timers === 0)
    await clock.pass(3_600_000)
    expect(thread.alive).toBe(true)
    controller.abort(new Error('enough'))
    expect(String(await rejected)).toContain('enough')
  })

  test('differs from a slow recognizer with a long recording', async () => {
    const clock = new ManualClock()
    const thread = start({ clock })
    let left = 20
    const source = {
      async next() {
        await clock.pass(50_000)
        left -= 1
        return left < 0 ? undefined : new Int16Array(8000)
      },
    }
    // Each block is consumed before the next read, because the clock is advanced only then.
    const slow = { next: async () => (await wait(() => clock.timers === 0), source.next()) }
    expect(await recognize(thread, slow, { signal: never })).toMatchObject({ durationSeconds: 10 })
  })
})

/** Processes messages until the condition holds. */
async function wait(until: () => boolean): Promise<void> {
  while (!until()) await new Promise(setImmediate)
}
