import { type FileHandle, open } from 'node:fs/promises'
import { UndecodableAudioError } from '@svc-audio/engine-ports'

/** Raw samples inside a file. */
export interface RawSamples {
  /** Name of the sample format for ffmpeg, as `s16be`. */
  readonly format: string
  readonly sampleRate: number
  readonly channels: number
  /** Where the samples begin, in bytes. */
  readonly offset: number
  /** Length of the samples, in seconds. */
  readonly seconds: number
}

/** What ffmpeg does not see in a file. */
export interface FileForm {
  /** Samples to read without the container's help. @default ffmpeg reads the container */
  readonly raw?: RawSamples
  /** Whether the file ends inside one of its parts. */
  readonly endsEarly: boolean
}

const PLAIN: FileForm = { endsEarly: false }

/** Maximum parts that are looked at. */
const MAX_PARTS = 100_000

/**
 * Looks at the parts of a WAV and of an MP4, which ffmpeg reads wrongly in some forms: RIFX, a chunk without its padding,
 * a second chunk of samples, a file that was cut. Reads a few bytes for each part.
 * @throws UndecodableAudioError for a WAV with several chunks of samples
 */
export async function readFileForm(path: string): Promise<FileForm> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const head = await readAt(file, 0, 12)
    const kind = head.toString('latin1', 0, 4)
    if ((kind === 'RIFF' || kind === 'RIFX') && head.toString('latin1', 8, 12) === 'WAVE')
      return await readWav(new Source(file, size), kind === 'RIFX')
    if (BOXES.has(head.toString('latin1', 4, 8))) return { endsEarly: await isCutMp4(new Source(file, size)) }
    return PLAIN
  } finally {
    await file.close()
  }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}

/** An open file with its size. */
class Source {
  readonly size: number
  readonly #file: FileHandle

  constructor(file: FileHandle, size: number) {
    this.#file = file
    this.size = size
  }

  read(position: number, length: number): Promise<Buffer> {
    return readAt(this.#file, position, length)
  }
}

/** A chunk of a WAV. */
interface Chunk {
  readonly id: string
  readonly start: number
  readonly length: number
}

/** Numbers of a WAV, in its byte order. */
interface Numbers {
  readonly short: (bytes: Buffer, at: number) => number
  readonly long: (bytes: Buffer, at: number) => number
}

const LITTLE: Numbers = { short: (bytes, at) => bytes.readUInt16LE(at), long: (bytes, at) => bytes.readUInt32LE(at) }
const BIG: Numbers = { short: (bytes, at) => bytes.readUInt16BE(at), long: (bytes, at) => bytes.readUInt32BE(at) }

async function readWav(source: Source, isBig: boolean): Promise<FileForm> {
  const numbers = isBig ? BIG : LITTLE
  const { chunks, isMisaligned } = await readChunks(source, numbers)
  const samples = chunks.filter(({ id }) => id === 'data')
  const [first] = samples
  if (samples.length > 1) {
    throw new UndecodableAudioError(
      'The WAV file has several chunks of samples: convert it to a WAV file with one, or to another format.',
    )
  }
  const format = chunks.find(({ id }) => id === 'fmt ')
  if (first === undefined || format === undefined) return PLAIN
  // One byte of padding may be missing.
  const endsEarly = first.length < UNKNOWN_LENGTH && first.start + first.length > source.size + 1
  if (!(isBig || isMisaligned)) return { endsEarly }
  const fields = await source.read(format.start, 16)
  if (fields.byteLength < 16) return PLAIN
  const [tag, channels, sampleRate, bits] = [
    numbers.short(fields, 0),
    numbers.short(fields, 2),
    numbers.long(fields, 4),
    numbers.short(fields, 14),
  ]
  const name = FORMATS.get(`${tag} ${bits}`)
  if (name === undefined || channels === 0 || sampleRate === 0) {
    throw new UndecodableAudioError('This kind of WAV file is not supported: convert it to 16-bit PCM.')
  }
  const length = Math.min(first.length, source.size - first.start)
  const seconds = length / ((bits / 8) * channels * sampleRate)
  const order = bits === 8 ? '' : isBig ? 'be' : 'le'
  return { raw: { format: `${name}${order}`, sampleRate, channels, offset: first.start, seconds }, endsEarly }
}

/** Lengths from here on are those of recorders that do not know the length, as 0x7FFFF000 and 0xFFFFFFFF. */
const UNKNOWN_LENGTH = 0x7f00_0000

/** Sample formats, by the tag and the bits of a WAV. */
const FORMATS: ReadonlyMap<string, string> = new Map([
  ['1 8', 'u8'],
  ['1 16', 's16'],
  ['1 24', 's24'],
  ['1 32', 's32'],
  ['3 32', 'f32'],
  ['3 64', 'f64'],
])

async function readChunks(
  source: Source,
  numbers: Numbers,
): Promise<{ readonly chunks: readonly Chunk[]; readonly isMisaligned: boolean }> {
  const chunks: Chunk[] = []
  let isMisaligned = false
  for (let at = 12; at + 8 <= source.size && chunks.length < MAX_PARTS;) {
    const head = await source.read(at, 8)
    const id = head.toString('latin1', 0, 4)
    if (head.byteLength < 8 || !isChunkId(id)) break
    const length = numbers.long(head, 4)
    chunks.push({ id, start: at + 8, length })
    at += 8 + length
    if (length % 2 === 0) continue
    // Chunks of an odd length have a byte of padding, which some writers forget.
    const next = (await source.read(at, 5)).toString('latin1')
    const isUnpadded = KNOWN_CHUNKS.has(next.slice(0, 4)) && !KNOWN_CHUNKS.has(next.slice(1))
    if (isUnpadded && !chunks.some((chunk) => chunk.id === 'data')) isMisaligned = true
    if (!isUnpadded) at += 1
  }
  return { chunks, isMisaligned }
}

function isChunkId(id: string): boolean {
  return /^[\x20-\x7E]{4}$/.test(id)
}

const KNOWN_CHUNKS: ReadonlySet<string> = new Set([
  'data',
  'fmt ',
  'fact',
  'LIST',
  'bext',
  'JUNK',
  'id3 ',
  'iXML',
  'cue ',
])

/** Kinds of the first box of an MP4 or MOV. */
const BOXES: ReadonlySet<string> = new Set(['ftyp', 'moov', 'mdat', 'wide', 'free', 'skip', 'styp', 'moof', 'sidx'])

const HEAD_BYTES = 8

async function isCutMp4(source: Source): Promise<boolean> {
  let at = 0
  for (let boxes = 0; at < source.size && boxes < MAX_PARTS; boxes += 1) {
    const head = await source.read(at, 2 * HEAD_BYTES)
    if (head.byteLength < HEAD_BYTES) return true
    const short = head.readUInt32BE(0)
    // 0: the box goes to the end of the file. 1: the length follows.
    if (short === 0) return false
    if (short === 1 && head.byteLength < 2 * HEAD_BYTES) return true
    const length = short === 1 ? Number(head.readBigUInt64BE(HEAD_BYTES)) : short
    // No box: other bytes follow the last one.
    if (length < HEAD_BYTES || !isChunkId(head.toString('latin1', 4, 8))) return false
    at += length
  }
  return at > source.size
}
