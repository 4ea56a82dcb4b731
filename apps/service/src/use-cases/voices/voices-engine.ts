import type { VoiceParameters } from '../../domain/voice-design/voice-parameters.ts'
import type { SpeechEngine } from '../../ports/speech-engine.ts'
import type { VoiceStore } from '../../ports/voice-store.ts'
import { voiceNotFound } from './voices.ts'

/** Voices whose parameters are remembered: a dialogue asks for the same few again and again, and they never change. */
const REMEMBERED = 500

/**
 * A speech engine that speaks with tenants' own voices too. It takes any id that exists: anyone who accepts a request has
 * made sure that the voice is its tenant's. One that was deleted in the meantime throws 404 `voice_not_found`, or is spoken to
 * the end of the work.
 */
export function speakOwnVoices(engine: SpeechEngine, voices: VoiceStore): SpeechEngine {
  const builtIn = new Set(engine.voices.map(({ id }) => id))
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
    voices: engine.voices,
    async synthesize(request, options) {
      if (builtIn.has(request.voiceId)) return engine.synthesize(request, options)
      const own = await parametersOf(request.voiceId)
      if (own === undefined) throw voiceNotFound(request.voiceId)
      const { base, ...manner } = own
      return engine.synthesize({ ...request, voiceId: base, manner }, options)
    },
    close: () => engine.close(),
  }
}
