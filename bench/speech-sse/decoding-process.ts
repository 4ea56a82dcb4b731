import { createHash } from 'node:crypto'
import { median } from '../harness/statistics.ts'
import { deliver, makeSpeech, type SpeechShape } from './speech-body.ts'
import type { SpeechDecoder } from './speech-decoder.ts'

/** Work for the process. */
export interface DecodingArgs {
  /** Address of the contestant's module. */
  readonly decoder: string
  readonly shape: SpeechShape
  /** Timed passes. */
  readonly passes: number
}

/**
 * Decodes a stream with one contestant: once to check every byte and to warm up, then several timed times.
 * @returns CPU seconds of one pass, the median.
 * @throws Error when the decoded audio differs
 */
export async function run({ decoder, shape, passes }: DecodingArgs): Promise<number> {
  // The case names only modules of the benchmark.
  const { decode } = (await import(decoder)) as SpeechDecoder
  const { chunks, digest } = makeSpeech(shape)
  const hash = createHash('sha256')
  await decode(deliver(chunks), (pcm) => hash.update(pcm))
  if (hash.digest('hex') !== digest) throw new Error(`${decoder} decoded other audio than was sent`)
  const seconds: number[] = []
  for (let pass = 0; pass < passes; pass += 1) {
    const before = process.cpuUsage()
    let bytes = 0
    await decode(deliver(chunks), (pcm) => (bytes += pcm.byteLength))
    const { user, system } = process.cpuUsage(before)
    if (bytes !== shape.deltaBytes * shape.deltas) throw new Error(`${decoder} lost audio`)
    seconds.push((user + system) / 1e6)
  }
  return median(seconds)
}
