import { setImmediate } from 'node:timers/promises'
import { completeFlacHead, readAigc, viewOf } from '@svc-audio/core/audio'
import { readJoinable } from '../join/read-joinable.ts'
import { type PcmLayout, toSamples } from '../join/pcm.ts'
import { FlacEncoder, type FlacEnd, type FlacFrame } from './flac-encoder.ts'

/** Types of metadata blocks (RFC 9639 §8.1). */
const STREAMINFO = 0
const SEEKTABLE = 3
const VORBIS_COMMENT = 4

/** Distance of two seek points, in seconds. */
const SEEK_SECONDS = 10
/** PCM that is encoded before other work gets its turn, in seconds. */
const TURN_SECONDS = 30

/**
 * A WAV file as FLAC: the same samples in about half the size, with the number of samples, their MD5 sum, a seek table
 * and the marking of the WAV file.
 * @param wav 16-bit PCM.
 * @throws UnjoinableError for other samples
 */
export async function encodeFlac(wav: Uint8Array): Promise<Uint8Array> {
  const content = readJoinable(wav)
  const encoder = await FlacEncoder.open(content)
  try {
    const frames: FlacFrame[] = []
    const turn = TURN_SECONDS * content.sampleRate * content.channels * 2
    for (let from = 0; from < content.samples.byteLength; from += turn) {
      frames.push(...encoder.encode(toSamples(content.samples.subarray(from, from + turn))))
      await setImmediate()
    }
    const { frames: last, end } = encoder.end()
    return assemble(content, [...frames, ...last], end, readAigc(wav))
  } finally {
    encoder.close()
  }
}

function assemble(
  layout: PcmLayout,
  frames: readonly FlacFrame[],
  end: FlacEnd,
  marking: string | undefined,
): Uint8Array {
  const comments = [end.vendor, ...(marking === undefined ? [] : [`AIGC=${marking}`])]
  return Buffer.concat([
    flacHead(frames, end),
    block(SEEKTABLE, seekTable(layout, frames)),
    block(VORBIS_COMMENT, vorbisComment(comments), true),
    ...frames.map(({ bytes }) => bytes),
  ])
}

function block(type: number, body: Uint8Array, isLast = false): Uint8Array {
  const head = new Uint8Array(4)
  viewOf(head).setUint32(0, body.byteLength)
  head[0] = type | (isLast ? 0x80 : 0)
  return Buffer.concat([head, body])
}

/** The head of the file, with what libFLAC leaves open: sizes of frames, number of samples and MD5 sum. */
function flacHead(frames: readonly FlacFrame[], { streamInfo, md5 }: FlacEnd): Uint8Array {
  const info = Buffer.from(streamInfo)
  const sizes = frames.map(({ bytes }) => bytes.byteLength)
  info.writeUIntBE(
    sizes.reduce((a, b) => Math.min(a, b)),
    4,
    3,
  )
  info.writeUIntBE(
    sizes.reduce((a, b) => Math.max(a, b)),
    7,
    3,
  )
  const head = Buffer.concat([Buffer.from('fLaC'), block(STREAMINFO, info)])
  const samples = frames.reduce((sum, frame) => sum + frame.samples, 0)
  completeFlacHead(head, samples, Buffer.from(md5, 'hex'))
  return head
}

/** Where to begin to play from a time, so that a player need not search the file (RFC 9639 §8.5). */
function seekTable({ sampleRate }: PcmLayout, frames: readonly FlacFrame[]): Uint8Array {
  const points: Uint8Array[] = []
  let sample = 0
  let offset = 0
  for (const { bytes, samples } of frames) {
    if (sample >= points.length * SEEK_SECONDS * sampleRate) {
      const point = new Uint8Array(18)
      const view = viewOf(point)
      view.setBigUint64(0, BigInt(sample))
      view.setBigUint64(8, BigInt(offset))
      view.setUint16(16, samples)
      points.push(point)
    }
    sample += samples
    offset += bytes.byteLength
  }
  return Buffer.concat(points)
}

/** The first text names the encoder, the others are fields (RFC 9639 §8.6). */
function vorbisComment([vendor = '', ...fields]: readonly string[]): Uint8Array {
  return Buffer.concat([prefixed(vendor), little(fields.length), ...fields.map(prefixed)])
}

/** A text behind its length in bytes. */
function prefixed(text: string): Uint8Array {
  return Buffer.concat([little(Buffer.byteLength(text)), Buffer.from(text)])
}

function little(value: number): Uint8Array {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
