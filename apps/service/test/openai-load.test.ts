import { mkdtemp, open, readdir, rm } from 'node:fs/promises'
import { openAsBlob } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import OpenAI from 'openai'
import { childPids } from '@svc-audio/kit/engine-fixtures/process-list.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { peakMegabytes } from './codec/memory-peak.ts'
import { Program } from './support/program.ts'
import { KEY } from './support/test-service.ts'

/** Requests of one client in flight. */
const AT_ONCE = 100
const LARGE_MEGABYTES = 500
/** The recognizer works for half a minute of processor time on 100 recordings. A busy machine needs room. */
const DEADLINE = 600_000
/** How much the peak memory of all processes of the service may grow, in MB. A fifth of the upload. */
const MAX_GROWTH = 100
const WORDS = ['Yes.', 'No.', 'Seven.', 'Good morning.', 'Thank you.'] as const

let folder: string
let service: Program
let client: OpenAI
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-openai-load-'))
  const flags = ['--port', '0', '--data-dir', 'data', '--openai-api', 'true', '--requests-at-once-per-tenant', '300']
  service = new Program(folder, flags, { SVC_AUDIO_API_KEYS: `tenant:${KEY}` })
  client = new OpenAI({ apiKey: KEY, baseURL: `${await service.ready()}/openai/v1`, maxRetries: 0 })
})
afterAll(async () => {
  await service.stop()
  await rm(folder, { recursive: true, force: true })
})

async function speak(input: string): Promise<Buffer> {
  const body = { model: 'tts-1', voice: 'rms', input, response_format: 'wav' } as const
  return Buffer.from(await (await client.audio.speech.create(body)).arrayBuffer())
}

function hear(wav: Blob): Promise<string> {
  const file = new File([wav], 'a.wav')
  return client.audio.transcriptions.create({ model: 'whisper-1', file, response_format: 'text' })
}

/** Peak memory of the service and its engines, in MB. */
async function peakOfService(): Promise<number> {
  const { pid = 0 } = service.child
  const peaks = await Promise.all([pid, ...(await childPids(pid))].map((process) => peakMegabytes(process)))
  return peaks.reduce((sum, peak) => sum + peak, 0)
}

/** Does the work for each input alone, then for 100 inputs at the same time. */
async function loadOf<Input>(
  inputs: readonly Input[],
  work: (input: Input) => Promise<string>,
): Promise<{ readonly alone: string[]; readonly expected: string[]; readonly together: string[] }> {
  const alone: (readonly [input: Input, result: string])[] = []
  for (const input of inputs) alone.push([input, await work(input)])
  const given = Array.from({ length: AT_ONCE / inputs.length }, () => alone).flat()
  const together = await Promise.all(given.map(([input]) => work(input)))
  return { alone: alone.map(([, result]) => result), expected: given.map(([, result]) => result), together }
}

test('100 speeches at the same time each get the audio of their own text', async () => {
  const { alone, expected, together } = await loadOf(WORDS, async (input) => (await speak(input)).toString('base64'))
  expect(new Set(alone).size).toBe(WORDS.length)
  expect(together).toEqual(expected)
})

test(
  '100 transcriptions at the same time each get the text of their own recording',
  { timeout: DEADLINE },
  async () => {
    const recordings = await Promise.all(WORDS.map(async (input) => new Blob([new Uint8Array(await speak(input))])))
    const { alone, expected, together } = await loadOf(recordings, hear)
    expect(new Set(alone).size).toBe(WORDS.length)
    expect(together).toEqual(expected)
    await expect.poll(() => readdir(join(folder, 'data/uploads'))).toEqual([])
  },
)

/** A RIFF file on the disk with this many MB that no reader needs before its samples. Most of it is a hole. */
async function padded(wav: Buffer, megabytes: number): Promise<Blob> {
  const path = join(folder, `${megabytes}.wav`)
  const bytes = megabytes * 1024 * 1024
  const begin = Buffer.concat([wav.subarray(0, 12), Buffer.from('JUNK'), Buffer.alloc(4)])
  begin.writeUInt32LE(wav.length + bytes, 4)
  begin.writeUInt32LE(bytes, 16)
  const file = await open(path, 'w')
  await file.write(begin)
  await file.write(wav, 12, wav.length - 12, begin.length + bytes)
  await file.close()
  return openAsBlob(path)
}

test('an upload of 500 MB is transcribed, and the memory of the service does not grow with it', async () => {
  const wav = await speak('Good morning.')
  const expected = await hear(await padded(wav, 1))
  const before = await peakOfService()
  expect(await hear(await padded(wav, LARGE_MEGABYTES))).toBe(expected)
  expect((await peakOfService()) - before).toBeLessThan(MAX_GROWTH)
  await expect.poll(() => readdir(join(folder, 'data/uploads'))).toEqual([])
})
