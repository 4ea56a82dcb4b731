import type { PcmFormat } from '@svc-audio/core/streaming'

/** PCM as samples of a WAV file: 8-bit samples become unsigned, others stay as they are. */
export async function wavSamplesOf({ bitDepth }: PcmFormat, pcm: Blob): Promise<Blob> {
  if (bitDepth !== 8) return pcm
  const bytes = new Uint8Array(await pcm.arrayBuffer())
  return new Blob([bytes.map((sample) => sample ^ 0x80)])
}
