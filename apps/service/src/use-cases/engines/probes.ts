import type { SpeechEngine } from '@svc-audio/engine-ports'

/** Speaks a word with the engine's first voice, up to its first samples. An engine without voices has nothing to probe. */
export async function probeSpeech(engine: SpeechEngine, signal: AbortSignal): Promise<void> {
  const [voice] = engine.voices
  if (voice === undefined) return
  const { chunks } = await engine.synthesize({ text: 'Yes.', voiceId: voice.id }, { signal })
  for await (const chunk of chunks) if (chunk.length > 0) return
}

/** A tenth of a second of silence, in 16 kHz mono PCM. */
export async function* silence(): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(3200)
}
