import { setImmediate } from 'node:timers/promises'
import { createSemaphore } from '@svc-audio/core'
import { readAigc } from '@svc-audio/core/audio'
import { readJoinable } from '../join/read-joinable.ts'
import { toSamples } from '../join/pcm.ts'
import { OpusEncoder } from './opus-encoder.ts'

/** PCM that is encoded before other work gets its turn, in seconds: some hundredths of a second of work. */
const TURN_SECONDS = 2

/** One page at a time: the work is that of a processor, and each encoder holds memory. */
const encoders = createSemaphore(1)
const never = new AbortController().signal

/**
 * A WAV file as Ogg Opus, at 24 kbit/s for speech of up to 16 kHz and 32 above: about a third of the service's MP3. It carries
 * the marking of the WAV file.
 * @param wav 16-bit PCM of one or two channels.
 * @throws UnjoinableError for other samples
 */
export async function encodeOpus(wav: Uint8Array): Promise<Uint8Array> {
  const content = readJoinable(wav)
  const release = await encoders.acquire(never)
  try {
    const encoder = await OpusEncoder.open(content, readAigc(wav))
    try {
      const parts = [encoder.head()]
      const turn = TURN_SECONDS * content.sampleRate * content.channels * 2
      for (let from = 0; from < content.samples.byteLength; from += turn) {
        parts.push(encoder.encode(toSamples(content.samples.subarray(from, from + turn))))
        await setImmediate()
      }
      return Buffer.concat([...parts, encoder.end()])
    } finally {
      encoder.close()
    }
  } finally {
    release()
  }
}
