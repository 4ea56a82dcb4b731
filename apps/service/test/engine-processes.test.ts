import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AudioClient } from '@svc-audio/core'
import { bundledEngines } from '@svc-audio/engines'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { childPids } from '@svc-audio/kit/engine-fixtures/process-list.ts'
import { prioritiesOf, threadsHavePriorities } from '@svc-audio/kit/engine-fixtures/thread-priorities.ts'
import { Program } from './support/program.ts'
import { KEY, startTestService, type TestService } from './support/test-service.ts'

const SPEECH = { model: 'svc-tts-1.5-flash', input: 'Hello there.', voice_id: 'rms' } as const
const PATIENCE = { timeout: 60_000, interval: 50 }

let service: TestService
let audio: AudioClient
beforeAll(async () => {
  // With the recognizer from the start, as users have it.
  service = await startTestService({ engines: bundledEngines() })
  audio = new AudioClient({ apiKey: KEY, baseUrl: service.url, maxRetries: 0 })
})
afterAll(async () => {
  await audio.close()
  await service.close()
})

/** Thread host processes started by a process. */
async function hosts(parent: number = process.pid): Promise<number[]> {
  const found: number[] = []
  for (const pid of await childPids(parent)) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (command.includes('worker-process-main')) found.push(pid)
  }
  return found
}

const ready = (): Promise<void> =>
  vi.waitFor(async () => expect((await fetch(`${service.url}/readyz`)).status).toBe(200), PATIENCE)

/** Half a minute of speech, as a WAV file. */
async function recording(): Promise<Uint8Array> {
  const input = Array.from({ length: 12 }, (_, n) => `This is sentence number ${n} of a story.`).join(' ')
  return (await audio.speech.create({ ...SPEECH, input, response_format: 'wav' })).bytes()
}

// only Linux shows the command of a process
describe.runIf(process.platform === 'linux')('the processes of the engines', () => {
  test('are two: one for speech, one for recognition', async () => {
    await ready()
    // On a busy machine one may be about to start.
    await vi.waitFor(async () => expect(await hosts()).toHaveLength(2), PATIENCE)
  })

  test('a kill by the system fails the work properly; tasks start again, and the service works on', async () => {
    await ready()
    const file = await recording()
    const task = await audio.transcriptions.createTask({ model: 'svc-transcribe-1.0', file })
    await vi.waitFor(async () => expect(await task.retrieve()).toMatchObject({ status: 'PROCESSING' }), PATIENCE)
    const stream = await audio.speech.stream({ ...SPEECH, input: SPEECH.input.repeat(500), response_format: 'pcm' })
    const reading = (async () => {
      let read = 0
      for await (const chunk of stream) {
        read += chunk.length
        // once, in the middle of the stream
        if (read - chunk.length === 0) for (const pid of await hosts()) process.kill(pid, 'SIGKILL')
      }
    })()
    await expect(reading).rejects.toMatchObject({ name: 'StreamFailedError' })
    await ready()
    expect((await (await audio.speech.create(SPEECH)).bytes()).length).toBeGreaterThan(1000)
    expect(await task.wait({ pollInterval: 100 })).toMatchObject({ status: 'SUCCESS', text: /sentence/ })
  })
})

describe.runIf(threadsHavePriorities)('the settings --engine-nice and --background-nice', () => {
  let folder: string
  let program: Program
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-audio-test-'))
    const flags = ['--port', '0', '--data-dir', 'data', '--engine-nice', '7', '--background-nice', '12']
    program = new Program(folder, flags, { SVC_AUDIO_API_KEYS: 'first:first-key,second:second-key' })
  })
  afterAll(async () => {
    await program.stop()
    await rm(folder, { recursive: true, force: true })
  })

  /** The nice values of all threads of the engines. */
  async function niceValues(): Promise<number[]> {
    const values = (await hosts(program.child.pid)).flatMap((pid) => prioritiesOf(pid))
    return [...new Set(values)].toSorted((one, other) => one - other)
  }

  test('reach the threads of the engines: the first those of all work, the second those of work behind others', async () => {
    const baseUrl = await program.ready()
    const [first, second] = ['first-key', 'second-key'].map(
      (apiKey) => new AudioClient({ apiKey, baseUrl, maxRetries: 0 }),
    )
    if (first === undefined || second === undefined) throw new Error('no clients')
    await (await first.speech.create(SPEECH)).bytes()
    expect(await niceValues()).toEqual([7])

    const stop = new AbortController()
    const speak = async (client: AudioClient, input: string): Promise<void> => {
      while (!stop.signal.aborted) await (await client.speech.create({ ...SPEECH, input })).bytes()
    }
    // A tenant with more work than slots, and another.
    const work = [
      ...Array.from({ length: 8 }, () => speak(first, SPEECH.input.repeat(100))),
      speak(second, SPEECH.input),
    ]
    try {
      await vi.waitFor(async () => expect(await niceValues()).toContain(12), PATIENCE)
    } finally {
      stop.abort()
      await Promise.all(work)
      await Promise.all([first.close(), second.close()])
    }
    expect((await niceValues()).every((value) => value === 7 || value === 12)).toBe(true)
  })
})
