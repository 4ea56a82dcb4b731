import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Program } from '../support/program.ts'
import { KEY } from '../support/test-service.ts'
import { SickMachine } from './sick-machine.ts'

const SPEECH = { model: 'svc-tts-1.0-pro', input: 'Yes.', voice_id: 'kal16', response_format: 'wav', async: true }

describe.runIf(process.platform === 'linux')('a disk that takes a second for each sync', { timeout: 120_000 }, () => {
  let folder: string
  let machine: SickMachine
  let program: Program
  let url: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-audio-slow-'))
    machine = await SickMachine.build(folder)
    const environment = { ...machine.environment, SVC_AUDIO_API_KEYS: `tenant:${KEY}` }
    program = new Program(folder, ['--port', '0', '--data-dir', 'data'], environment)
    url = await program.ready()
  })
  afterAll(async () => {
    await program.stop()
    await rm(folder, { recursive: true })
  })

  const accept = async (): Promise<number> => {
    const response = await fetch(`${url}/v1/audio/speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(SPEECH),
    })
    await response.arrayBuffer()
    return response.status
  }

  /** Slowest of the responses to a probe, while `work` runs, in milliseconds. */
  const slowestDuring = async (path: string, work: Promise<unknown>): Promise<number> => {
    const state = { done: false }
    void work.finally(() => (state.done = true)).catch(() => undefined)
    const times: number[] = []
    while (!state.done) {
      const start = performance.now()
      const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${KEY}` } })
      await response.arrayBuffer()
      times.push(performance.now() - start)
      await sleep(5)
    }
    return times.toSorted((one, other) => other - one)[Math.floor(times.length / 20)] ?? 0
  }

  test('a sync takes that long', async () => {
    await machine.become({ syncMs: 1000 })
    const start = performance.now()
    expect(await accept()).toBe(200)
    expect(performance.now() - start).toBeGreaterThan(999)
  })

  test('responses that write nothing do not wait for it', async () => {
    const writes = Promise.all(Array.from({ length: 40 }, accept))
    expect(await slowestDuring('/healthz', writes)).toBeLessThan(800)
    const more = Promise.all(Array.from({ length: 40 }, accept))
    expect(await slowestDuring('/v1/files', more)).toBeLessThan(800)
    expect([...(await writes), ...(await more)].every((status) => status === 200)).toBe(true)
  })

  test('writes share syncs: 40 tasks do not take 40 times as long as one', async () => {
    const start = performance.now()
    await Promise.all(Array.from({ length: 40 }, accept))
    expect(performance.now() - start).toBeLessThan(20_000)
  })
})
