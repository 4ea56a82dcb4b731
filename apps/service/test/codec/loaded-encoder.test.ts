import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import type { Turns } from '@svc-audio/engine-ports'
import { isAlive } from '@svc-audio/kit/engine-fixtures/process-list.ts'
import { threadsHavePriorities } from '@svc-audio/kit/engine-fixtures/thread-priorities.ts'
import type { FfmpegCodec } from '../../src/drivers/codec/ffmpeg-codec.ts'
import type { FfmpegProcess } from '../../src/drivers/codec/ffmpeg-process.ts'
import { findWasmFfmpeg } from '../../src/drivers/codec/wasm-launcher.ts'
import { ScratchFolder } from './containers.ts'
import { codecOver, watched } from './launchers.ts'
import { collect, pieces, SPEECH_PCM, tone } from './sound.ts'

const MP3 = { format: 'mp3', pcm: SPEECH_PCM } as const

describe('the loaded encoder', { timeout: 120_000 }, () => {
  let codec: FfmpegCodec
  let runs: FfmpegProcess[]
  const pids = (): Set<number | undefined> => new Set(runs.map(({ pid }) => pid))

  beforeEach(() => {
    const wasm = findWasmFfmpeg()
    if (wasm === undefined) throw new Error('@ffmpeg/core must be installed to run these tests')
    const { launcher, children } = watched(wasm)
    runs = children
    codec = codecOver(launcher)
  })
  afterEach(() => codec.close())

  const encode = (format: 'mp3' | 'opus' | 'flac' | 'aac', seconds: number): Promise<Buffer> =>
    collect(codec.encode(pieces(tone(seconds)), { format, pcm: SPEECH_PCM, aigc: `{"${format}":${seconds}}` }))

  test('encodes one request after the other, of any format, to the same bytes as a new process', async () => {
    const formats = ['mp3', 'opus', 'flac', 'aac'] as const
    const loaded: Buffer[] = []
    for (let round = 0; round < 3; round += 1)
      for (const format of formats) loaded.push(await encode(format, 1 + round))
    expect(pids().size).toBe(1)

    await codec.close()
    const wasm = findWasmFfmpeg({ idleLifetime: 0 })
    codec = codecOver(wasm)
    const fresh: Buffer[] = []
    for (let round = 0; round < 3; round += 1) for (const format of formats) fresh.push(await encode(format, 1 + round))
    expect(loaded.map((bytes, index) => bytes.equals(fresh[index] ?? Buffer.alloc(0)))).toEqual(fresh.map(() => true))
  })

  test('ends with an aborted request, and the next request has a new one', async () => {
    await encode('mp3', 0.2)
    const controller = new AbortController()
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        yield tone(1)
        await sleep(5)
      }
    }
    const reading = (async () => {
      for await (const chunk of codec.encode(endless(), { ...MP3, signal: controller.signal })) {
        if (chunk.byteLength > 0) controller.abort(new Error('changed my mind'))
      }
    })()
    await expect(reading).rejects.toThrow('changed my mind')
    expect(runs.map(({ pid }) => isAlive(pid))).toEqual([false, false])
    expect((await encode('mp3', 0.2)).byteLength).toBeGreaterThan(0)
    expect(pids().size).toBe(2)
  })

  test('is left by a request whose speaker fails, and the next request works', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield tone(0.5)
      throw new Error('no voice')
    }
    await expect(collect(codec.encode(broken(), MP3))).rejects.toThrow('no voice')
    expect((await encode('mp3', 0.2)).byteLength).toBeGreaterThan(0)
    expect(pids().size).toBe(2)
  })

  test('serves as many requests at once as there are encoders, each in its own process', async () => {
    const [first, second] = await Promise.all([encode('mp3', 2), encode('mp3', 2)])
    expect(first?.equals(second ?? Buffer.alloc(0))).toBe(true)
    await Promise.all([encode('mp3', 1), encode('opus', 1)])
    expect(runs).toHaveLength(4)
    expect(pids().size).toBe(2)
  })

  test('a killed one fails no later request', async () => {
    await encode('mp3', 0.2)
    const pid = runs[0]?.pid ?? 0
    process.kill(pid, 'SIGKILL')
    await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false)
    expect((await encode('mp3', 0.2)).byteLength).toBeGreaterThan(0)
    expect(pids().size).toBe(2)
  })

  test('never decodes: each file has a new process, so that no file reaches the audio of others', async () => {
    const folder = await ScratchFolder.create()
    try {
      const path = await folder.write(await encode('flac', 1))
      for (let round = 0; round < 2; round += 1) await collect(codec.decode(path))
      await encode('mp3', 1)
      const [encoder, firstFile, secondFile, again] = runs.map(({ pid }) => pid)
      expect(new Set([encoder, firstFile, secondFile]).size).toBe(3)
      expect(again).toBe(encoder)
      expect([firstFile, secondFile].map(isAlive)).toEqual([false, false])
    } finally {
      await folder.remove()
    }
  })

  test.runIf(threadsHavePriorities)('ends with background work, whose priority it cannot raise again', async () => {
    const turns: Turns = (_cost, _signal, work) => work({ background: true })
    await collect(codec.encode(pieces(tone(1)), { ...MP3, turns }))
    expect(isAlive(runs[0]?.pid)).toBe(false)
    await encode('mp3', 1)
    expect(pids().size).toBe(2)
  })

  test('ends with the codec', async () => {
    await encode('mp3', 0.2)
    await codec.close()
    expect(isAlive(runs[0]?.pid)).toBe(false)
  })
})
