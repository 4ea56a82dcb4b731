import { mkdir, readdir, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { wavHeader } from '@svc-audio/core/adapter'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MAX_MEMORY_BYTES } from '../../src/drivers/codec/limits.ts'
import { type Turns, UndecodableAudioError } from '@svc-audio/engine-ports'
import { BACKGROUND_PRIORITY, ENGINE_PRIORITY } from '@svc-audio/engine-ports/driver'
import { BOMBS } from './bombs.ts'
import { ScratchFolder } from './containers.ts'
import { codecOver, presentLaunchers, watched } from './launchers.ts'
import { MemoryPeak } from './memory-peak.ts'
import { prioritiesOf, threadsHavePriorities } from '@svc-audio/kit/engine-fixtures/thread-priorities.ts'
import { collect, decodedSeconds, pieces, SPEECH_PCM, tone } from './sound.ts'
import { isAlive } from '@svc-audio/kit/engine-fixtures/process-list.ts'
import { transcode } from './transcode.ts'

/** Memory of ffmpeg outside the limit: its code, or Node.js with the compiled module. */
const PROGRAM_MB = { wasm: 220, system: 120 }

const LIMIT_MB = MAX_MEMORY_BYTES / 1024 / 1024

let folder: ScratchFolder
beforeAll(async () => {
  folder = await ScratchFolder.create()
})
afterAll(() => folder.remove())

describe.for(await presentLaunchers())('the bounds of ffmpeg (%s)', { timeout: 120_000 }, ([, plain]) => {
  const { launcher, children } = watched(plain)
  const codec = codecOver(launcher)
  afterAll(() => codec.close())

  test('its memory is limited', () => {
    expect(launcher.memoryBytes).toBe(
      process.platform === 'linux' || launcher.kind === 'wasm' ? MAX_MEMORY_BYTES : undefined,
    )
  })

  test.for(BOMBS)(
    '$name is refused or decodes to little, in little memory, and leaves nothing',
    async ({ make, size }) => {
      const own = join(folder.path, 'alone')
      await mkdir(own, { recursive: true })
      const path = await folder.write(make(), 'alone/bomb')
      if (size !== undefined) await truncate(path, size)
      const peak = new MemoryPeak(() => children.at(-1)?.pid)
      const outcome: unknown = await collect(codec.decode(path)).catch((error: unknown) => error)
      peak.stop()
      const decoded = outcome instanceof Buffer ? outcome : Buffer.alloc(0)
      expect(outcome).toSatisfy((one) => one === decoded || one instanceof UndecodableAudioError)
      expect(decodedSeconds(decoded)).toBeLessThan(1100)
      expect(await readdir(own)).toEqual(['bomb'])
      expect(peak.megabytes > 1).toBe(process.platform === 'linux')
      expect(peak.megabytes).toBeLessThan(LIMIT_MB + PROGRAM_MB[launcher.kind])
    },
  )

  test('audio is decoded up to the longest allowed length, and refused beyond it', async () => {
    const format = { sampleRate: 16_000, channels: 1, bitDepth: 16 }
    const bytes = 60 * 32_000
    const path = await folder.write(wavHeader(format, bytes))
    await truncate(path, 44 + bytes)
    const exact = codecOver(plain, { maxAudioSeconds: 60 })
    expect((await collect(exact.decode(path))).byteLength).toBe(bytes)
    await exact.close()
    const tight = codecOver(launcher, { maxAudioSeconds: 36 })
    const refused = collect(tight.decode(path))
    await expect(refused).rejects.toThrow(UndecodableAudioError)
    await expect(refused).rejects.toThrow('The audio is longer than 0.01 hours.')
    await tight.close()
  })

  test('odd rates and many channels are accepted', async () => {
    const rates = ['-ar 44056', '-ar 96000', '-ar 8000 -ac 6', '-ar 11025 -ac 2']
    for (const rate of rates) {
      const path = await folder.write(await transcode(tone(1), `${rate} -c:a pcm_f32le -f wav out`))
      expect(decodedSeconds(await collect(codec.decode(path)))).toBeCloseTo(1, 2)
    }
  })

  test.runIf(threadsHavePriorities)(
    'all threads of a decoder step back, and behind others after a minute',
    async () => {
      const path = await folder.write(await transcode(tone(90), '-c:a pcm_s16le -f wav out'))
      const seen = new Set<string>()
      let bytes = 0
      for await (const chunk of codec.decode(path)) {
        const { pid = 0 } = children.at(-1) ?? {}
        if (!isAlive(pid)) break
        bytes += chunk.byteLength
        // The limit counts the bytes of ffmpeg, which also has a header for each piece.
        if (Math.abs(bytes / 32_000 - 60) < 5) continue
        seen.add(`${bytes > 60 * 32_000 ? 'long' : 'short'} ${prioritiesOf(pid).join()}`)
      }
      expect([...seen]).toEqual([`short ${ENGINE_PRIORITY}`, `long ${BACKGROUND_PRIORITY}`])
    },
  )

  test.runIf(threadsHavePriorities)('an encoder steps behind others with its first background work', async () => {
    const seen: number[][] = []
    const turns: Turns = async (_cost, _signal, work) => {
      const result = await work({ background: seen.length === 1 })
      seen.push(prioritiesOf(children.at(-1)?.pid ?? 0))
      return result
    }
    const chunks = codec.encode(pieces(tone(3)), { format: 'opus', pcm: SPEECH_PCM, turns })
    await collect(chunks)
    const [first, second, third] = seen
    expect([first, second, third]).toEqual([[ENGINE_PRIORITY], [BACKGROUND_PRIORITY], [BACKGROUND_PRIORITY]])
  })
})
