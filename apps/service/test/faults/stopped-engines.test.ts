import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AudioClient } from '@svc-audio/core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { childPids } from '@svc-audio/kit/engine-fixtures/process-list.ts'
import { Program } from '../support/program.ts'
import { KEY } from '../support/test-service.ts'

const SPEECH = { model: 'svc-tts-1.5-flash', input: 'Hello there.', voice_id: 'rms', response_format: 'wav' } as const
const PATIENCE = { timeout: 60_000, interval: 100 }

describe.runIf(process.platform === 'linux')('engine processes that are stopped', { timeout: 150_000 }, () => {
  let folder: string
  let program: Program
  let audio: AudioClient
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-audio-stopped-'))
    program = new Program(folder, ['--port', '0', '--data-dir', 'data'], { SVC_AUDIO_API_KEYS: `tenant:${KEY}` })
    audio = new AudioClient({ apiKey: KEY, baseUrl: await program.ready(), maxRetries: 0 })
  })
  afterAll(async () => {
    await audio.close()
    await program.stop()
    await rm(folder, { recursive: true })
  })

  async function engines(): Promise<number[]> {
    const found: number[] = []
    for (const pid of await childPids(program.child.pid ?? 0)) {
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
      if (command.includes('worker-process-main')) found.push(pid)
    }
    return found
  }

  test('are replaced within a minute, and an accepted task succeeds', async () => {
    const file = await (await audio.speech.create(SPEECH)).bytes()
    await audio.transcriptions.create({ model: 'svc-transcribe-1.0', file })
    const stopped = await engines()
    expect(stopped).toHaveLength(2)
    for (const pid of stopped) process.kill(pid, 'SIGSTOP')
    const tasks = [
      await audio.speech.createTask(SPEECH),
      await audio.transcriptions.createTask({ model: 'svc-transcribe-1.0', file }),
    ]
    await expect(audio.speech.create(SPEECH)).rejects.toMatchObject({ status: expect.any(Number) })
    await vi.waitFor(async () => {
      expect((await (await audio.speech.create(SPEECH)).bytes()).length).toBeGreaterThan(1000)
      expect(await audio.transcriptions.create({ model: 'svc-transcribe-1.0', file })).toHaveProperty('text')
    }, PATIENCE)
    for (const task of tasks) expect(await task.wait({ pollInterval: 100 })).toMatchObject({ status: 'SUCCESS' })
    for (const pid of await engines()) expect(stopped).not.toContain(pid)
  })
})
