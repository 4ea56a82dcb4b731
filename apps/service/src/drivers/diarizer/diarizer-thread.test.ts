import { getEventListeners } from 'node:events'
import { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, test } from 'vitest'

import { rejection } from '../../../test/pocketsphinx/rejection.ts'
import { SCRIPT } from '../../../test/pocketsphinx/script.ts'
import { DiarizationFailedError } from './diarization-failed-error.ts'
import { DiarizerThread } from './diarizer-thread.ts'

const SCRIPTED_WORKER = new URL('../../../test/diarization/scripted-worker.ts', import.meta.url)
const never = new AbortController().signal

const threads: DiarizerThread[] = []
afterEach(async () => {
  await Promise.all(threads.splice(0).map((thread) => thread.end()))
})

function start(): DiarizerThread {
  const thread = new DiarizerThread(new Worker(SCRIPTED_WORKER))
  threads.push(thread)
  return thread
}

/** Blocks of ten samples that begin so; counts how many were taken. */
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
  test('gives what its worker found, and is used up then', async () => {
    const thread = start()
    expect(thread.alive).toBe(true)
    const found = await thread.diarize(blocks(Array.from({ length: 50 }, () => 0)), never)
    expect(found).toEqual({ segments: [], durationSeconds: 500 / 16_000 })
    expect(thread.alive).toBe(false)
    await thread.free()
  })

  test('takes no more than four blocks ahead', async () => {
    const source = blocks(Array.from({ length: 50 }, () => SCRIPT.keep))
    const thread = start()
    const rejected = rejection(thread.diarize(source, never))
    while (source.pulled < 4) await new Promise(setImmediate)
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate)
    expect(source.pulled).toBe(4)
    await thread.end()
    expect(await rejected).toBeInstanceOf(DiarizationFailedError)
  })

  test.each([
    ['crashes', SCRIPT.crash, /crashed as told/],
    ['ends', SCRIPT.exit, /ended/],
  ])('rejects when its worker %s', async (_, script, message) => {
    const thread = start()
    const rejected = await rejection(thread.diarize(blocks([0, script, 0]), never))
    expect(rejected).toBeInstanceOf(DiarizationFailedError)
    expect(String(rejected)).toMatch(message)
    expect(thread.alive).toBe(false)
    await thread.free()
  })

  test('rejects with what its source throws', async () => {
    const source = { next: async () => Promise.reject(new Error('the source is gone')) }
    await expect(start().diarize(source, never)).rejects.toThrow('the source is gone')
  })
})

describe('an abort', () => {
  test('rejects at once with its reason, even while the worker hangs, and ends it', async () => {
    const thread = start()
    const controller = new AbortController()
    const source = blocks([SCRIPT.hang, 0, 0, 0, 0, 0])
    const rejected = rejection(thread.diarize(source, controller.signal))
    while (source.pulled < 4) await new Promise(setImmediate)
    const reason = new Error('changed my mind')
    controller.abort(reason)
    expect(await rejected).toBe(reason)
    await thread.free()
  })

  test('rejects while the source is silent', async () => {
    const controller = new AbortController()
    const source = { next: async () => new Promise<undefined>(() => undefined) }
    const rejected = rejection(start().diarize(source, controller.signal))
    controller.abort(new Error('too long'))
    expect(String(await rejected)).toContain('too long')
  })

  test('before the start takes nothing from the source, and ends the thread all the same', async () => {
    const source = blocks([0])
    const thread = start()
    await expect(thread.diarize(source, AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late')
    expect(source.pulled).toBe(0)
    await thread.free()
    expect(thread.alive).toBe(false)
  })

  test('leaves no listener on the signal', async () => {
    const controller = new AbortController()
    await start().diarize(blocks([0]), controller.signal)
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  })
})

test('a thread that is ended before it was used is gone', async () => {
  const thread = start()
  await thread.end()
  expect(thread.alive).toBe(false)
  await expect(thread.diarize(blocks([0]), never)).rejects.toThrow(DiarizationFailedError)
})
