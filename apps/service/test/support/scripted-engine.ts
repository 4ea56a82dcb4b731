import type { PcmFormat } from '@svc-audio/core/audio'
import { type SpeechEngine, type SynthesisRequest, UnspeakableTextError } from '@svc-audio/engine-ports'

/** A speech engine that makes one frame of each character, and records its requests. */
export interface ScriptedEngine extends SpeechEngine {
  /** Requested texts, in order. */
  readonly accepted: readonly SynthesisRequest[]
  /** Texts with a started reader. */
  readonly begun: readonly string[]
  /** Texts with a released reader, at the end or before. */
  readonly ended: readonly string[]
}

const FORMAT: PcmFormat = { sampleRate: 1000, channels: 1, bitDepth: 16 }

/**
 * An engine without real work. It refuses a text of dots only.
 * @param bytesPerCharacter Length of a chunk, even: the character, a one, and zeros.
 */
export function scriptedEngine(bytesPerCharacter: number = 2): ScriptedEngine {
  const accepted: SynthesisRequest[] = []
  const begun: string[] = []
  const ended: string[] = []
  const traits = { timbre: 'male', pitchHz: 120, rangeSemitones: 1, syllablesPerSecond: 5 } as const
  async function* speak({ text }: SynthesisRequest, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    begun.push(text)
    try {
      for (const character of text) {
        signal?.throwIfAborted()
        const chunk = new Uint8Array(bytesPerCharacter)
        chunk.set([character.charCodeAt(0) % 256, 1])
        yield chunk
      }
    } finally {
      ended.push(text)
    }
  }
  return {
    accepted,
    begun,
    ended,
    name: 'scripted',
    voices: [
      { id: 'one', name: 'One', language: 'en', traits },
      { id: 'two', name: 'Two', language: 'en' },
      { id: 'three', name: 'Three', language: 'en' },
    ],
    async synthesize(request, { signal } = {}) {
      accepted.push(request)
      if (/^\.*$/.test(request.text)) throw new UnspeakableTextError('There is nothing to speak')
      return { format: FORMAT, chunks: speak(request, signal) }
    },
    close: async () => undefined,
  }
}
