import type { SampleTraits } from '../domain/voice-design/analyse-sample.ts'

/**
 * Measures the voice in a sample, outside the thread that answers requests. A driver stops its work when `signal`
 * aborts, and rejects with the signal's reason. {@link SampleAnalyser.close} leaves nothing running.
 */
export interface SampleAnalyser {
  /**
   * Measures 16 kHz mono signed 16-bit little-endian PCM, in chunks of any size. It reads only as much as it needs.
   * @throws UnusableSampleError when the sample is too short or too long, or contains no voice
   */
  analyse(pcm: AsyncIterable<Uint8Array>, options?: { readonly signal?: AbortSignal }): Promise<SampleTraits>
  close(): Promise<void>
}
