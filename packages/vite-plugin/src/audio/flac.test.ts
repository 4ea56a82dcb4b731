import { createHash } from 'node:crypto'
import { encodeWav } from '@svc-audio/core/audio'
import { aigcChunk, flacSeconds } from '@svc-audio/core/adapter'
import { describe, expect, test } from 'vitest'
import { encodeFlac, openFlacStream } from './flac.ts'
import { WavEncoder } from './index.ts'

const RATE = 22_050
const MARKING = '{"AIGC":{"Label":"1"}}'

interface Decoded {
  readonly samples: Int16Array
  readonly errors: number
}

/** Samples that speech could have: neither silence nor noise. */
function tone(seconds: number, channels = 1): Int16Array {
  return Int16Array.from({ length: Math.round(seconds * RATE) * channels }, (_, index) =>
    Math.round(9000 * Math.sin(index / 17) * Math.sin(index / 2900) + ((index * 7919) % 613)),
  )
}

function bytesOf(samples: Int16Array): Uint8Array {
  return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)
}

function wav(samples: Int16Array, { channels = 1, marking }: { channels?: number; marking?: string } = {}): Uint8Array {
  return encodeWav({ sampleRate: RATE, channels, bitDepth: 16 }, [bytesOf(samples)], aigcChunk(marking))
}

/** Decodes with libFLAC, which checks the sums of frames and of the whole stream. */
async function decode(file: Uint8Array): Promise<Decoded> {
  const { default: flac } = await import('libflacjs/dist/libflac.min.js')
  const id = flac.create_libflac_decoder(true)
  const parts: Uint8Array[] = []
  let errors = 0
  let at = 0
  const read = (size: number): { buffer: Uint8Array<ArrayBuffer>; readDataLength: number; error: boolean } => {
    const buffer = Uint8Array.from(file.subarray(at, at + size))
    at += buffer.byteLength
    return { buffer, readDataLength: buffer.byteLength, error: false }
  }
  const onSamples = (channels: readonly Uint8Array[]): void => {
    const [first = new Uint8Array()] = channels
    for (let from = 0; from < first.byteLength; from += 2) {
      for (const channel of channels) parts.push(channel.slice(from, from + 2))
    }
  }
  expect(flac.init_decoder_stream(id, read, onSamples, () => void (errors += 1))).toBe(0)
  expect(flac.FLAC__stream_decoder_process_until_end_of_stream(id)).toBeTruthy()
  if (!flac.FLAC__stream_decoder_finish(id)) errors += 1
  flac.FLAC__stream_decoder_delete(id)
  const bytes = Uint8Array.from(Buffer.concat(parts))
  return { samples: new Int16Array(bytes.buffer), errors }
}

describe('a WAV file as FLAC', () => {
  test.each([
    ['shorter than a frame', tone(0.01), 1],
    ['of some frames', tone(3.3), 1],
    ['longer than one turn of the encoder', tone(31), 1],
    ['in stereo', tone(1.5, 2), 2],
    ['of silence', new Int16Array(RATE), 1],
  ])('%s decodes to the same samples', async (_, samples, channels) => {
    const file = await encodeFlac(wav(samples, { channels }))
    const decoded = await decode(file)
    expect(decoded.errors).toBe(0)
    expect(Buffer.compare(bytesOf(decoded.samples), bytesOf(samples))).toBe(0)
    expect(flacSeconds(file)).toBe(samples.length / channels / RATE)
    expect(file.byteLength).toBeLessThan(samples.byteLength * 0.8 + 200)
  })

  test('a WAV file as FLAC tells the MD5 sum of its samples and the sizes of its frames', async () => {
    const samples = tone(3.3)
    const file = Buffer.from(await encodeFlac(wav(samples)))
    expect(file.toString('hex', 26, 42)).toBe(createHash('md5').update(bytesOf(samples)).digest('hex'))
    const [smallest, largest] = [file.readUIntBE(12, 3), file.readUIntBE(15, 3)]
    expect(smallest).toBeGreaterThan(0)
    expect(largest).toBeGreaterThanOrEqual(smallest)
  })

  test('a WAV file as FLAC has seek points 10 seconds apart, each at the start of a frame', async () => {
    const file = Buffer.from(await encodeFlac(wav(tone(35))))
    // The mark, STREAMINFO, and the header of SEEKTABLE.
    expect(file[42]).toBe(3)
    const tableBytes = file.readUIntBE(43, 3)
    const commentAt = 46 + tableBytes
    const framesAt = commentAt + 4 + file.readUIntBE(commentAt + 1, 3)
    const points = Array.from({ length: tableBytes / 18 }, (_, index) => {
      const at = 46 + index * 18
      return { sample: Number(file.readBigUInt64BE(at)), offset: Number(file.readBigUInt64BE(at + 8)) }
    })
    expect(points.map(({ sample }) => Math.floor(sample / RATE / 10))).toEqual([0, 1, 2, 3])
    // Every frame begins with the sync code of a fixed block size.
    for (const { offset } of points) expect(file.readUInt16BE(framesAt + offset)).toBe(0xff_f8)
  })

  test('a WAV file as FLAC keeps the marking as a Vorbis comment', async () => {
    const file = Buffer.from(await encodeFlac(wav(tone(0.2), { marking: MARKING })))
    const field = `AIGC=${MARKING}`
    const at = file.indexOf(field)
    expect(at).toBeGreaterThan(42)
    expect(file.readUInt32LE(at - 4)).toBe(field.length)
    expect((await decode(file)).errors).toBe(0)
  })

  test('a WAV file as FLAC of 8 bits is refused', async () => {
    const eight = encodeWav({ sampleRate: RATE, channels: 1, bitDepth: 8 }, [new Uint8Array(100)])
    await expect(encodeFlac(eight)).rejects.toThrow('a segment is not 16-bit PCM')
  })
})

test('a stream of FLAC holds all samples, and its first frames come before its end', async () => {
  const samples = tone(4)
  const file = wav(samples)
  const stream = new WavEncoder(openFlacStream)
  const first = await stream.write(file.subarray(0, 44 + RATE * 2))
  expect(first.byteLength).toBeGreaterThan(5000)
  const rest = await stream.write(file.subarray(44 + RATE * 2))
  const whole = Buffer.concat([first, rest, stream.end()])
  stream.close()
  const decoded = await decode(whole)
  expect(decoded.errors).toBe(0)
  expect(Buffer.compare(bytesOf(decoded.samples), bytesOf(samples))).toBe(0)
  // The head was written before the length was known.
  expect(flacSeconds(whole)).toBeUndefined()
})
