import type { PcmFormat } from '@svc-audio/core/audio'
import { aigcChunk, completeFlacHead, FLAC_HEAD_BYTES, wavHeader } from '@svc-audio/core/adapter'
import { type Clock, systemClock } from '../../domain/clock.ts'
import type { PcmMeter } from './stored-files.ts'

/** Where the chunks after the format of a WAV begin. */
const AFTER_FORMAT = 36

/**
 * Share of the time to the first samples that may pass until the last one, for a file with its true sizes: the first byte
 * comes hardly later. A longer wait would be heard.
 */
const SHARE = 0.2

/** The longest such wait, in milliseconds. */
const MAX_WAIT_MS = 1000

/** Most bytes that wait. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024

/**
 * Writes PCM as a WAV file while it is made. Its header has the sizes of a stream, 0xFFFFFFFF, as OpenAI writes them, and
 * true sizes if the last sample follows the first ones at once.
 *
 * @param clock Measures the wait. @default the clock of the machine
 * @param aigc Written into a chunk `AIGC`: behind the samples, or before them in a stream, where nothing can follow.
 * @throws RangeError for samples of 8 bits, which WAV stores unsigned
 */
export async function* liveWavFile(
  pcm: AsyncIterable<Uint8Array>,
  { format, aigc, clock }: { readonly format: PcmFormat; readonly aigc: string | undefined; readonly clock?: Clock },
): AsyncGenerator<Uint8Array> {
  if (format.bitDepth === 8) throw new RangeError('A WAV file of 8-bit PCM is not supported: use 16, 24 or 32 bits')
  const marking = aigcChunk(aigc)
  const begun = await beginning(pcm, clock)
  try {
    if (begun.isWhole) {
      const bytes = begun.chunks.reduce((sum, { byteLength }) => sum + byteLength, 0)
      yield wavHeader(format, bytes, marking.byteLength)
      yield* begun.chunks
      if (bytes % 2 === 1) yield new Uint8Array(1)
      if (marking.byteLength > 0) yield marking
      return
    }
    const header = wavHeader(format, undefined)
    yield Buffer.concat([header.subarray(0, AFTER_FORMAT), marking, header.subarray(AFTER_FORMAT)])
    yield* begun.chunks
    yield* begun.rest()
  } finally {
    begun.close()
  }
}

/**
 * Sends FLAC while it is encoded. The number of samples and their checksum stay open, unless the last frame follows the
 * first one at once.
 */
export async function* liveFlacFile(
  encoded: AsyncIterable<Uint8Array>,
  { meter, clock }: { readonly meter: PcmMeter; readonly clock?: Clock },
): AsyncGenerator<Uint8Array> {
  const begun = await beginning(encoded, clock)
  try {
    if (begun.isWhole) {
      const file = Buffer.concat(begun.chunks)
      completeFlacHead(file.subarray(0, FLAC_HEAD_BYTES), meter.frames, meter.digest())
      yield file
      return
    }
    yield* begun.chunks
    yield* begun.rest()
  } finally {
    begun.close()
  }
}

/** The beginning of a stream. */
interface Beginning {
  readonly chunks: readonly Uint8Array[]
  /** Whether it is all of the stream. */
  readonly isWhole: boolean
  /** Yields what follows. */
  rest(): AsyncGenerator<Uint8Array>
  /** Stops the stream. */
  close(): void
}

/** Reads the first chunk, and what follows it within a share of the time until then. */
async function beginning(source: AsyncIterable<Uint8Array>, clock: Clock = systemClock): Promise<Beginning> {
  const iterator: AsyncIterator<Uint8Array, undefined> = source[Symbol.asyncIterator]()
  const started = clock.now()
  const chunks: Uint8Array[] = []
  let bytes = 0
  let isWhole = false
  let coming: ReturnType<typeof iterator.next> | undefined
  const late = Promise.withResolvers<undefined>()
  let cancel: (() => void) | undefined
  const close = (): void => {
    cancel?.()
    void iterator.return?.().catch(() => undefined)
  }
  try {
    while (bytes <= MAX_WAITING_BYTES) {
      coming ??= iterator.next()
      const result = await Promise.race([coming, late.promise])
      if (result === undefined) break
      coming = undefined
      if (result.done === true) {
        isWhole = true
        break
      }
      if (chunks.length === 0) {
        const wait = Math.min(MAX_WAIT_MS, SHARE * (clock.now() - started))
        cancel = clock.setTimer(wait, () => late.resolve(undefined))
      }
      chunks.push(result.value)
      bytes += result.value.byteLength
    }
  } catch (error) {
    close()
    throw error
  }
  // Its failure is that of the rest.
  coming?.catch(() => undefined)
  return {
    chunks,
    isWhole,
    close,
    async *rest() {
      for (;;) {
        const result = await (coming ?? iterator.next())
        coming = undefined
        if (result.done === true) return
        yield result.value
      }
    },
  }
}
