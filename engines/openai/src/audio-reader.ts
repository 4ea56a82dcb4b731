import type { PcmFormat } from '@svc-audio/core/audio'
import { readWavHead } from '@svc-audio/core/adapter'
import { EngineFailedError } from '@svc-audio/engine-ports'

/** What the audio of a server must be. */
export interface ExpectedAudio {
  /** Name of the entry, for messages. */
  readonly name: string
  readonly format: 'wav' | 'pcm'
  readonly sampleRate: number
}

/** Bytes that tell a file from samples. */
const HEAD_BYTES = 12

/** A header beyond this length is none. */
const MAX_HEADER_BYTES = 64 * 1024

/**
 * Reads the samples of a server: mono, 16 bits, in whole frames. It reads to the end of the response, because the length
 * in a WAV header of a stream is a placeholder. A WAV is recognized also where samples were asked for.
 * @throws EngineFailedError for another file, another sample rate, no samples, or half a sample at the end
 */
export async function* readAudio(
  chunks: AsyncIterable<Uint8Array>,
  expected: ExpectedAudio,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { name } = expected
  let held: Uint8Array = new Uint8Array(0)
  let state: 'head' | 'samples' | 'behind' = 'head'
  /** Samples that the header promises, in bytes, if it knows. */
  let left = Infinity
  let bytes = 0
  for await (const chunk of chunks) {
    if (state === 'behind') continue
    held = held.length === 0 ? new Uint8Array(chunk) : Buffer.concat([held, chunk])
    if (state === 'head') {
      if (held.length < HEAD_BYTES) continue
      const data = findSamples(held, expected)
      if (data === undefined) continue
      held = held.subarray(data.at)
      left = data.bytes
      state = 'samples'
    }
    if (left === 0 && held.length >= 4) {
      ;[state, left] = isMetadata(held) ? ['behind', 0] : ['samples', Infinity]
    }
    for (let whole = wholeSamples(held, left); whole.length > 0; whole = wholeSamples(held, left)) {
      yield whole
      bytes += whole.length
      left -= whole.length
      held = held.subarray(whole.length)
      if (left > 0 || held.length < 4) continue
      ;[state, left] = isMetadata(held) ? ['behind', 0] : ['samples', Infinity]
    }
  }
  if (state === 'head') throw new EngineFailedError(`${name} answered no audio`)
  if (state === 'samples' && left > 0 && held.length % 2 === 1) {
    throw new EngineFailedError(`${name} answered half a sample at the end: the audio is cut, or not 16-bit PCM`)
  }
  if (bytes === 0) throw new EngineFailedError(`${name} answered no audio`)
}

/** A chunk of metadata may follow the samples. Anything else are samples that a wrong length hides. */
function isMetadata(held: Uint8Array): boolean {
  return /^[A-Za-z][A-Za-z\d ]{3}$/.test(Buffer.from(held.subarray(0, 4)).toString('latin1'))
}

function wholeSamples(held: Uint8Array, left: number): Uint8Array {
  const max = Math.min(held.length, left)
  return held.subarray(0, max - (max % 2))
}

/** @returns Where the samples begin, or `undefined` while the header is not complete */
function findSamples(
  held: Uint8Array,
  { name, format, sampleRate }: ExpectedAudio,
): { readonly at: number; readonly bytes: number } | undefined {
  const head = Buffer.from(held.buffer, held.byteOffset, held.length)
  const id = head.toString('latin1', 0, 4)
  const other = fileOf(head)
  if (other !== undefined) {
    throw new EngineFailedError(`${name} answered ${other} where ${format} was asked for: check speech.format`)
  }
  if (id !== 'RIFF') {
    if (format === 'pcm') return { at: 0, bytes: Infinity }
    throw new EngineFailedError(`${name} answered no WAV: set speech.format to pcm if the server sends samples`)
  }
  const wav = readWavHead(head)
  if (wav !== undefined) {
    checkFormat(wav.format, { name, sampleRate })
    // A size of 0 is a placeholder too.
    return { at: wav.samplesAt, bytes: wav.sampleBytes || Infinity }
  }
  if (head.length > MAX_HEADER_BYTES) throw new EngineFailedError(`${name} answered a WAV without samples`)
  return undefined
}

function checkFormat(
  { channels, sampleRate: rate, bitDepth: bits }: PcmFormat,
  { name, sampleRate }: Pick<ExpectedAudio, 'name' | 'sampleRate'>,
): void {
  if (channels !== 1 || bits !== 16) {
    throw new EngineFailedError(
      `${name} answered ${channels} channels of ${bits} bits: mono audio of 16 bits is needed`,
    )
  }
  checkRate(rate, { name, sampleRate })
}

/** @throws EngineFailedError for another sample rate than that of the entry */
export function checkRate(rate: number, { name, sampleRate }: Pick<ExpectedAudio, 'name' | 'sampleRate'>): void {
  if (rate === sampleRate) return
  throw new EngineFailedError(`${name} speaks at ${rate} Hz, not ${sampleRate}: set speech.sampleRate to ${rate}`)
}

/** The sample rate that the headers of a response tell, in Hz: samples have none themselves. @default they tell none */
export function toldRate(headers: Readonly<Record<string, string | undefined>>): number | undefined {
  const told =
    headers['x-sample-rate'] ??
    /^audio\/[^;]+;.*\brate=(?<rate>\d+)/i.exec(headers['content-type'] ?? '')?.groups?.['rate']
  const rate = Number(told)
  return Number.isInteger(rate) && rate > 0 ? rate : undefined
}

/** Names a file that is neither WAV nor samples. */
function fileOf(head: Buffer): string | undefined {
  const start = head.toString('latin1', 0, 9)
  if (start.startsWith('ID3')) return 'MP3'
  if (start.startsWith('OggS')) return 'Ogg'
  if (start.startsWith('fLaC')) return 'FLAC'
  if (/^\s*<(?:!doctype|html)/i.test(head.toString('latin1', 0, 20))) return 'an HTML page'
  return start.startsWith('{"') ? 'JSON' : undefined
}
