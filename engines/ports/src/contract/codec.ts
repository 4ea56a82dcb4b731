import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AudioFormat, Codec } from '../codec.ts'
import { UndecodableAudioError } from '../codec.ts'
import type { Turns } from '../turns.ts'
import {
  bytesOf,
  chunksOf,
  type ContractCase,
  failingSource,
  rejectsWith,
  SourceFault,
  withEngine,
} from './contract.ts'

/** A codec under test. */
export interface CodecSubject {
  /** Makes a new codec. */
  readonly create: () => Promise<Codec>
  /** Formats that it encodes, `wav` among them. */
  readonly formats: readonly AudioFormat[]
}

const PCM = { sampleRate: 16_000, channels: 1, bitDepth: 16 } as const
const SECONDS = 2

/** A tone of two seconds. */
function tone(): Uint8Array {
  const samples = Int16Array.from({ length: SECONDS * PCM.sampleRate }, (_, index) => 8000 * Math.sin(index / 8))
  return new Uint8Array(samples.buffer)
}

async function withFile(bytes: Uint8Array, use: (path: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-codec-'))
  try {
    await writeFile(join(folder, 'sound'), bytes)
    await use(join(folder, 'sound'))
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** The facts of {@link Codec}. */
export const codecContract: readonly ContractCase<CodecSubject>[] = [
  {
    name: 'each format decodes to audio of its length, whatever its file is called',
    run: ({ create, formats }) =>
      withEngine(create, async (codec) => {
        for (const format of formats.filter((one) => one !== 'pcm')) {
          const file = await bytesOf(codec.encode(chunksOf(tone()), { format, pcm: PCM }))
          await withFile(file, async (path) => {
            const seconds = (await bytesOf(codec.decode(path))).length / 32_000
            assert.ok(Math.abs(seconds - SECONDS) < 0.2, `${format}: ${seconds} s of ${SECONDS} s`)
          })
        }
      }),
  },
  {
    name: 'a WAV has its true sizes',
    run: ({ create }) =>
      withEngine(create, async (codec) => {
        const file = Buffer.from(await bytesOf(codec.encode(chunksOf(tone(), 777), { format: 'wav', pcm: PCM })))
        assert.equal(file.toString('latin1', 0, 4), 'RIFF')
        assert.equal(file.readUInt32LE(4), file.length - 8)
      }),
  },
  {
    name: 'metadata is written unchanged',
    run: ({ create }) =>
      withEngine(create, async (codec) => {
        const aigc = '{"label":"1"}'
        const file = await bytesOf(codec.encode(chunksOf(tone()), { format: 'wav', pcm: PCM, aigc }))
        assert.ok(Buffer.from(file).includes(aigc))
      }),
  },
  {
    name: 'bytes that are not audio, and no bytes, cannot be decoded',
    run: ({ create }) =>
      withEngine(create, async (codec) => {
        for (const bytes of [Buffer.from('This is a text and not audio. '.repeat(99)), Buffer.alloc(0)]) {
          await withFile(bytes, (path) => assert.rejects(bytesOf(codec.decode(path)), UndecodableAudioError))
        }
      }),
  },
  {
    name: 'an abort of an encoding throws its reason',
    run: ({ create }) =>
      withEngine(create, async (codec) => {
        const reason = new Error('the caller aborted')
        const signal = AbortSignal.abort(reason)
        await rejectsWith(bytesOf(codec.encode(chunksOf(tone()), { format: 'wav', pcm: PCM, signal })), reason)
      }),
  },
  {
    name: 'an error of the source is the error of the encoding',
    run: ({ create }) =>
      withEngine(create, async (codec) => {
        await assert.rejects(bytesOf(codec.encode(failingSource(), { format: 'wav', pcm: PCM })), SourceFault)
      }),
  },
  {
    name: 'a reader that leaves early does not disturb the next encoding',
    run: ({ create, formats }) =>
      withEngine(create, async (codec) => {
        const format = formats.find((one) => one !== 'wav' && one !== 'pcm') ?? 'wav'
        for await (const chunk of codec.encode(chunksOf(tone()), { format, pcm: PCM })) if (chunk.length > 0) break
        assert.ok((await bytesOf(codec.encode(chunksOf(tone()), { format, pcm: PCM }))).length > 0)
      }),
  },
  {
    name: 'an encoding runs in its turns, each with a positive cost',
    run: ({ create, formats }) =>
      withEngine(create, async (codec) => {
        const format = formats.find((one) => one !== 'wav' && one !== 'pcm')
        if (format === undefined) return
        const costs: number[] = []
        const turns: Turns = (cost, _signal, work) => {
          costs.push(cost)
          return work({ background: false })
        }
        await bytesOf(codec.encode(chunksOf(tone()), { format, pcm: PCM, turns }))
        assert.ok(costs.length > 0 && costs.every((cost) => cost > 0))
      }),
  },
]
