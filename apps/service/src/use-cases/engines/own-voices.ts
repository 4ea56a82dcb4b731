import type { VoiceParameters } from '@svc-audio/engine-ports'
import type { ServedSpeech } from '../../ports/engine-state.ts'
import type { VoiceStore } from '../../ports/voice-store.ts'
import { voiceNotFound } from '../voices.ts'

/**
 * Maximum voices in the cache of parameters. A dialogue uses the same few voices repeatedly, and their parameters never
 * change.
 */
const REMEMBERED = 500

/**
 * Creates a speech engine that also speaks with tenants' own voices. It accepts every existing id: the caller has
 * checked that the voice belongs to the tenant. A voice deleted in the meantime throws 404 `voice_not_found`, or is
 * still used until the work ends.
 */
export function speakOwnVoices(engine: ServedSpeech, voices: VoiceStore): ServedSpeech {
  const remembered = new Map<string, VoiceParameters>()
  const parametersOf = async (id: string): Promise<VoiceParameters | undefined> => {
    const known = remembered.get(id)
    if (known !== undefined) return known
    const parameters = await voices.parametersOf(id)
    if (parameters === undefined) return undefined
    if (remembered.size >= REMEMBERED) remembered.clear()
    remembered.set(id, parameters)
    return parameters
  }
  return {
    name: engine.name,
    get voices() {
      return engine.voices
    },
    get bases() {
      return engine.bases ?? engine.voices
    },
    async synthesize(request, options) {
      if (engine.voices.some(({ id }) => id === request.voiceId)) return engine.synthesize(request, options)
      const own = await parametersOf(request.voiceId)
      if (own === undefined) throw voiceNotFound(request.voiceId)
      const { base, ...manner } = own
      return engine.synthesize({ ...request, voiceId: base, manner }, options)
    },
    close: () => engine.close(),
  }
}
