import { spawn } from 'node:child_process'
import { getEventListeners, once } from 'node:events'
import { readFile, truncate } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

import { wavHeader } from '@svc-audio/core/adapter'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { ScratchFolder } from './containers.ts'
import { codecOver, presentLaunchers, watched } from './launchers.ts'
import { childPids, isAlive } from '@svc-audio/kit/engine-fixtures/process-list.ts'
import { collect, pieces, SPEECH_PCM, tone } from './sound.ts'

const SERVICE = fileURLToPath(new URL('./service-process.ts', import.meta.url))

let folder: ScratchFolder
/** A WAV file of 200 MB, mostly a hole on the disk. */
let largeFile: string
beforeAll(async () => {
  folder = await ScratchFolder.create()
  const bytes = 200 * 1024 * 1024
  largeFile = await folder.write(wavHeader({ sampleRate: 48_000, channels: 2, bitDepth: 16 }, bytes))
  await truncate(largeFile, bytes + 44)
})
afterAll(() => folder.remove())

/** A speaker that speaks once, then stays silent. It reports its release. */
class SilentSpeaker implements AsyncIterable<Uint8Array> {
  left = false
  #said = false;

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return {
      next: () => {
        if (this.#said) return new Promise(() => undefined)
        this.#said = true
        return Promise.resolve({ done: false, value: tone(2) })
      },
      return: () => {
        this.left = true
        return Promise.resolve({ done: true, value: undefined })
      },
    }
  }
}

describe.for(await presentLaunchers())('the life of ffmpeg (%s)', { timeout: 60_000 }, ([, plain]) => {
  const { launcher, children } = watched(plain)
  const codec = codecOver(launcher)
  const lastPid = (): number | undefined => children.at(-1)?.pid
  afterAll(() => codec.close())

  test.for(['mp3', 'flac'] as const)('an abort ends an encoding to %s at once, with the reason', async (format) => {
    const speaker = new SilentSpeaker()
    const controller = new AbortController()
    const reader = codec.encode(speaker, { format, pcm: SPEECH_PCM, signal: controller.signal })[Symbol.asyncIterator]()
    const reading = (async () => {
      for (;;) await reader.next()
    })()
    const reason = new Error('changed my mind')
    setTimeout(() => controller.abort(reason), 50)
    await expect(reading).rejects.toBe(reason)
    expect(isAlive(lastPid())).toBe(false)
    expect(speaker.left).toBe(true)
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  })

  test('an abort ends a decoding, even without a reader', async () => {
    const controller = new AbortController()
    const reader = codec.decode(largeFile, { signal: controller.signal })[Symbol.asyncIterator]()
    await reader.next()
    const child = children.at(-1)
    expect(isAlive(child?.pid)).toBe(true)
    controller.abort(new Error('changed my mind'))
    await child?.exit
    await expect(reader.next()).rejects.toThrow('changed my mind')
    expect(await reader.next()).toEqual({ done: true, value: undefined })
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  })

  test('an already aborted signal starts nothing', async () => {
    const before = children.length
    const signal = AbortSignal.abort(new Error('too late'))
    const encoded = codec.encode(pieces(tone(1)), { format: 'mp3', pcm: SPEECH_PCM, signal })
    await expect(collect(encoded)).rejects.toThrow('too late')
    await expect(collect(codec.decode(largeFile, { signal }))).rejects.toThrow('too late')
    expect(children).toHaveLength(before)
  })

  test('a released reader ends the process and the speaker', async () => {
    const speaker = new SilentSpeaker()
    for await (const chunk of codec.encode(speaker, { format: 'mp3', pcm: SPEECH_PCM })) {
      expect(chunk.byteLength).toBeGreaterThan(0)
      break
    }
    expect(isAlive(lastPid())).toBe(false)
    expect(speaker.left).toBe(true)
    for await (const chunk of codec.decode(largeFile)) {
      expect(chunk.byteLength).toBeGreaterThan(0)
      break
    }
    expect(isAlive(lastPid())).toBe(false)
  })

  test('a reader can be released in the middle of a read', async () => {
    const reader = codec.encode(new SilentSpeaker(), { format: 'flac', pcm: SPEECH_PCM })[Symbol.asyncIterator]()
    const reading = reader.next()
    await expect.poll(() => isAlive(lastPid())).toBe(true)
    await reader.return?.()
    expect(await reading).toEqual({ done: true, value: undefined })
    expect(isAlive(lastPid())).toBe(false)
  })

  test('excess encoders and decoders queue separately', async () => {
    const narrow = watched(plain)
    const small = codecOver(narrow.launcher, { maxProcesses: 1 })
    const decoding = small.decode(largeFile)[Symbol.asyncIterator]()
    await decoding.next()
    const first = small.encode(new SilentSpeaker(), { format: 'mp3', pcm: SPEECH_PCM })[Symbol.asyncIterator]()
    await first.next()
    expect(narrow.children).toHaveLength(2)
    const controller = new AbortController()
    const impatient = { format: 'mp3', pcm: SPEECH_PCM, signal: controller.signal } as const
    const second = collect(small.encode(pieces(tone(0.2)), impatient))
    const third = collect(small.encode(pieces(tone(0.2)), { format: 'mp3', pcm: SPEECH_PCM }))
    controller.abort(new Error('no patience'))
    await expect(second).rejects.toThrow('no patience')
    expect(narrow.children).toHaveLength(2)
    await first.return?.()
    expect((await third).byteLength).toBeGreaterThan(0)
    expect(narrow.children).toHaveLength(3)
    await decoding.return?.()
    await small.close()
  })

  test('a stalled reader holds no encoder, and another tenant never waits for one', async () => {
    const small = codecOver(watched(plain).launcher, { maxProcesses: 1 })
    const long = Buffer.concat(Array.from({ length: 60 }, () => tone(2)))
    const encode = (pcm: AsyncIterable<Uint8Array>, tenant: string) =>
      small.encode(pcm, { format: 'mp3', pcm: SPEECH_PCM, tenant })[Symbol.asyncIterator]()
    const stalled = encode(pieces(long), 'loud')
    await stalled.next()
    const next = encode(pieces(tone(0.2)), 'loud')
    expect((await next.next()).done).toBe(false)
    // An encoder that waits for its speaker holds a slot. The same tenant cannot take the last slot.
    const waiting = encode(new SilentSpeaker(), 'loud')
    await waiting.next()
    const other = encode(pieces(tone(0.2)), 'quiet')
    expect((await other.next()).done).toBe(false)
    expect(small.encoders.waiting).toBe(0)
    for (const reader of [stalled, next, waiting, other]) await reader.return?.()
    await small.close()
  })

  test('closing ends everything, and every caller gets the error', async () => {
    const { launcher: other, children: running } = watched(plain)
    const closing = codecOver(other, { maxProcesses: 1 })
    const suspended = closing.decode(largeFile)[Symbol.asyncIterator]()
    await suspended.next()
    const speaker = new SilentSpeaker()
    const reading = collect(closing.encode(speaker, { format: 'opus', pcm: SPEECH_PCM }))
    const queued = collect(closing.encode(new SilentSpeaker(), { format: 'aac', pcm: SPEECH_PCM }))
    await expect.poll(() => running.length).toBe(2)
    const outcomes = Promise.allSettled([reading, queued])
    await closing.close()
    expect(running.map(({ pid }) => isAlive(pid))).toEqual([false, false])
    expect(await outcomes).toMatchObject([{ reason: { message: 'The codec is closed' } }, { status: 'rejected' }])
    await expect(suspended.next()).rejects.toThrow('The codec is closed')
    const late = collect(closing.encode(pieces(tone(0.1)), { format: 'wav', pcm: SPEECH_PCM }))
    await expect(late).rejects.toThrow('The codec is closed')
    expect(speaker.left).toBe(true)
  })

  test.runIf(process.platform === 'linux')('a large file is decoded in little memory', async () => {
    let peak = 0
    let bytes = 0
    let chunks = 0
    for await (const chunk of codec.decode(largeFile)) {
      bytes += chunk.byteLength
      chunks += 1
      if (chunks % 50 === 0) {
        const status = await readFile(`/proc/${lastPid()}/status`, 'utf8').catch(() => '')
        peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0))
      }
    }
    expect(bytes).toBeGreaterThan(34_900_000) // 1092 s
    expect(peak).toBeGreaterThan(1000)
    expect(peak).toBeLessThan(300_000) // kilobytes; with the file in memory it would be more than 330 000
  })
})

describe('the process of the service', { timeout: 60_000 }, () => {
  test('exits when idle, with its loaded encoder', async () => {
    const service = spawn(process.execPath, ['--no-warnings', SERVICE, 'idle'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exit = once(service, 'exit')
    await once(service.stdout, 'data')
    const spare = service.pid === undefined ? [] : await childPids(service.pid)
    expect(await exit).toEqual([0, null])
    await expect.poll(() => spare.some(isAlive), { timeout: 10_000 }).toBe(false)
  })

  test('ends its idle spare child, and works on', async () => {
    const service = spawn(process.execPath, ['--no-warnings', SERVICE, 'rest'], { stdio: ['pipe', 'pipe', 'inherit'] })
    const exit = once(service, 'exit')
    await once(service.stdout, 'data')
    const { pid } = service
    if (pid === undefined) throw new Error('no process')
    await expect.poll(() => childPids(pid), { timeout: 10_000 }).toHaveLength(1)
    await expect.poll(() => childPids(pid), { timeout: 10_000 }).toEqual([])
    service.stdin.end('again')
    expect(String(await once(service.stdout, 'data'))).toBe('done')
    expect(await exit).toEqual([0, null])
  })

  test('ends its children when it is killed', async () => {
    const service = spawn(process.execPath, ['--no-warnings', SERVICE, 'busy'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exit = once(service, 'exit')
    await once(service.stdout, 'data')
    const { pid } = service
    if (pid === undefined) throw new Error('no process')
    await expect.poll(() => childPids(pid), { timeout: 10_000 }).toHaveLength(1)
    const orphans = await childPids(pid)
    service.kill('SIGKILL')
    await exit
    await expect.poll(() => orphans.some(isAlive), { timeout: 10_000 }).toBe(false)
  })
})
