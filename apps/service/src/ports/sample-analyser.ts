import type { SampleTraits } from '../domain/voice-design/analyse-sample.ts'

/**
 * Measures the voice in a sample, beside the thread that answers requests. A driver must stop its work when `signal`
 * aborts, rejecting with the signal's reason, and must leave nothing running after {@link SampleAnalyser.close}.
 */
export interface SampleAnalyser {
  /**
   * Measures 16 kHz mono signed 16-bit little-endian PCM, in chunks of any size. It reads no more than it needs to judge
   * the sample.
   * @throws UnusableSampleError when the sample is too short, too long, or no voice is heard in it
   */
  analyse(pcm: AsyncIterable<Uint8Array>, options?: { readonly signal?: AbortSignal }): Promise<SampleTraits>
  close(): Promise<void>
}
