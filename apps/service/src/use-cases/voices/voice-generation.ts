import { fromInstruction } from '../../domain/voice-design/from-instruction.ts'
import type { Services } from '../../services.ts'
import { fairSpeech } from '../speech/fair-speech.ts'
import type { WorkOptions } from '../speech/speak.ts'
import type { VoiceGenerationOrder } from './voice-generation-rules.ts'
import { baseVoices } from './voices.ts'

/**
 * Speaks a text in a voice that is described. Resolves once the engine has accepted it; the file's bytes follow as they
 * are made. The same instruction always gives the same voice, which is not stored: anyone who wants it again and under an id
 * makes a voice of this audio.
 */
export async function generateVoice(
  { speech, codec, semaphores }: Pick<Services, 'speech' | 'codec' | 'semaphores'>,
  { text, instruction, format }: Pick<VoiceGenerationOrder, 'text' | 'instruction' | 'format'>,
  options: WorkOptions,
): Promise<AsyncIterable<Uint8Array>> {
  const { base, ...manner } = fromInstruction(instruction, baseVoices(speech))
  const { signal, tenant } = options
  const accepted = await speech.synthesize({ text, voiceId: base, manner }, { signal })
  const synthesis = fairSpeech(accepted, semaphores.speech, options)
  return codec.encode(synthesis.chunks, { format, pcm: synthesis.format, tenant, signal })
}
