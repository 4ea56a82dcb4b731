import { fromInstruction } from '../../domain/voice-design/from-instruction.ts'
import type { Services } from '../../services.ts'
import { atMostSeconds, encodingTurns, speechTurns } from '../speech/speech-output.ts'
import type { WorkOptions } from '../speech/speak.ts'
import type { VoiceGenerationOrder } from './voice-generation-rules.ts'
import { baseVoices } from './voices.ts'

/**
 * Speaks a text in a described voice. Resolves once the engine has accepted the text. The bytes of the file follow
 * during synthesis. The same instruction always gives the same voice. The voice is not stored: to get an id, create a
 * voice from this audio.
 */
export async function generateVoice(
  {
    speech,
    codec,
    semaphores,
    maxOutputSeconds,
  }: Pick<Services, 'speech' | 'codec' | 'semaphores' | 'maxOutputSeconds'>,
  { text, instruction, format }: Pick<VoiceGenerationOrder, 'text' | 'instruction' | 'format'>,
  options: WorkOptions,
): Promise<AsyncIterable<Uint8Array>> {
  const { base, ...manner } = fromInstruction(instruction, baseVoices(speech))
  const { signal, tenant, meter } = options
  const turns = speechTurns(semaphores, tenant)
  const accepted = await speech.synthesize({ text, voiceId: base, manner }, { signal, turns })
  meter?.speak(text.length)
  const synthesis = atMostSeconds(accepted, maxOutputSeconds, { meter })
  return codec.encode(synthesis.chunks, {
    format,
    pcm: synthesis.format,
    tenant,
    turns: encodingTurns(semaphores, tenant),
    signal,
  })
}
