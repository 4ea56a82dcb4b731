import { readFile } from 'node:fs/promises'
import { AudioClient } from '@svc-audio/core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { childPids } from './codec/process-list.ts'
import { KEY, startTestService, type TestService } from './support/test-service.ts'

const SPEECH = { model: 'svc-tts-1.5-flash', input: 'Hello there.', voice_id: 'rms' } as const
const PATIENCE = { timeout: 60_000, interval: 50 }

let service: TestService
let audio: AudioClient
beforeAll(async () => {
  service = await startTestService()
  audio = new AudioClient({ apiKey: KEY, baseUrl: service.url, maxRetries: 0 })
})
afterAll(async () => {
  await audio.close()
  await service.close()
})

/** Thread host processes started by this process. */
async function hosts(): Promise<number[]> {
  const found: number[] = []
  for (const pid of await childPids(process.pid)) {
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
    expect(await hosts()).toHaveLength(2)
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
