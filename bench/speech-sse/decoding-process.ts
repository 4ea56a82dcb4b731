import { createHash } from 'node:crypto'
import { median } from '../harness/statistics.ts'
import { deliver, makeSpeech, type SpeechShape } from './speech-body.ts'
import type { SpeechDecoder } from './speech-decoder.ts'

/** What the process is told. */
export interface DecodingArgs {
  /** Address of the contestant's module. */
  readonly decoder: string
  readonly shape: SpeechShape
  /** How often the stream is decoded with the clock running. */
  readonly passes: number
}

/**
 * Lets one contestant decode a stream: once to see that every byte is right, which also warms it up, then several times
 * against the clock.
 * @returns CPU seconds of one pass, the median.
 * @throws Error when the audio is not what the stream holds
 */
export async function run({ decoder, shape, passes }: DecodingArgs): Promise<number> {
  // The case names its own modules only.
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
