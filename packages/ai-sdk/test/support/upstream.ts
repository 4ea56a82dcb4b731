import { createTestUpstream, type TestUpstream, type TestUpstreamOptions, toneWav } from '@svc-audio/testing'
import { onTestFinished } from 'vitest'
import { createSvcAudio, type SvcAudioOptions, type SvcAudioProvider } from '../../src/index.ts'

/** Half a second of audio. */
export const WAV: Uint8Array = toneWav(0.5)

/** The key of every provider here. No error may hold it. */
export const KEY = 'secret-key-0123456789'

/** A scripted service that ends with its test, and a provider of it. */
export interface Upstream {
  readonly upstream: TestUpstream
  readonly svcAudio: SvcAudioProvider
}

/** @param options Options of the provider. */
export async function startUpstream(
  options: SvcAudioOptions = {},
  upstreamOptions: TestUpstreamOptions = {},
): Promise<Upstream> {
  const upstream = await createTestUpstream({ apiKey: KEY, transcript: 'hello there', ...upstreamOptions })
  onTestFinished(() => upstream.close())
  return { upstream, svcAudio: createSvcAudio({ apiKey: KEY, baseUrl: upstream.url, ...options }) }
}
