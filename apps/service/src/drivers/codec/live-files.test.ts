import { readAigc, readWavHead } from '@svc-audio/core/adapter'
import { readWav } from '@svc-audio/core/audio'
import { ManualClock } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import { rejection } from '@svc-audio/kit/engine-fixtures/rejection.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { liveWavFile } from './live-files.ts'

const FORMAT = { sampleRate: 16_000, channels: 1, bitDepth: 16 } as const
const AIGC = '{"AIGC":{"Label":"1"}}'

let clock: ManualClock
beforeEach(() => {
  clock = new ManualClock()
})

/** Chunks of 3200 bytes, each after a time in milliseconds. */
async function* chunks(...after: readonly number[]): AsyncGenerator<Uint8Array> {
  for (const milliseconds of after) {
    await new Promise<void>((resolve) => void clock.setTimer(milliseconds, resolve))
    yield new Uint8Array(3200).fill(1)
  }
}

async function fileOf(pcm: AsyncIterable<Uint8Array>, aigc?: string): Promise<{ file: Buffer; firstAt: number }> {
  const started = clock.now()
  const parts: Uint8Array[] = []
  let firstAt = -1
  const reading = (async () => {
    for await (const part of liveWavFile(pcm, { format: FORMAT, aigc, clock })) {
      if (firstAt < 0) firstAt = clock.now() - started
      parts.push(part)
    }
  })()
  for (let at = 0; at < 100; at += 1) await clock.pass(50)
  await reading
  return { file: Buffer.concat(parts), firstAt }
}

describe('a WAV file that is sent while it is made', () => {
  test('begins with the first samples, and leaves its sizes open as OpenAI does', async () => {
    const { file, firstAt } = await fileOf(chunks(500, 500, 500))
    expect(firstAt).toBeLessThanOrEqual(600)
    expect([file.readUInt32LE(4), file.readUInt32LE(40)]).toEqual([0xff_ff_ff_ff, 0xff_ff_ff_ff])
    expect(readWav(file)?.samples).toHaveLength(9600)
  })

  test('has its true sizes when the last sample follows the first ones at once', async () => {
    const { file, firstAt } = await fileOf(chunks(500, 0, 50), AIGC)
    expect(firstAt).toBeLessThanOrEqual(600)
    expect(file.readUInt32LE(4)).toBe(file.length - 8)
    expect(readWavHead(file)?.sampleBytes).toBe(9600)
    expect(readAigc(file)).toBe(AIGC)
  })

  test('has a marking before its samples where nothing can follow them', async () => {
    const { file } = await fileOf(chunks(500, 500), AIGC)
    expect(readAigc(file)).toBe(AIGC)
    expect(readWav(file)?.samples).toHaveLength(6400)
  })

  test('without a sample is empty', async () => {
    const { file } = await fileOf(chunks())
    expect(readWavHead(file)).toMatchObject({ sampleBytes: 0 })
  })

  test('fails with the error of its source, before and after its head', async () => {
    const failing = async function* (): AsyncGenerator<Uint8Array> {
      yield* chunks(500, 500)
      throw new Error('the engine failed')
    }
    const parts: Uint8Array[] = []
    const reading = (async () => {
      for await (const part of liveWavFile(failing(), { format: FORMAT, aigc: undefined, clock })) parts.push(part)
    })()
    const failed = rejection(reading)
    await clock.pass(2000)
    expect(await failed).toMatchObject({ message: 'the engine failed' })
    expect(parts.length).toBeGreaterThan(0)
  })
})
