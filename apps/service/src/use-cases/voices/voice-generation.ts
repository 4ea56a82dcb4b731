import type { AudioFormat } from '@svc-audio/engine-ports'
import type { Services } from '../../services.ts'
import { atMostSeconds, encodingTurns, speechTurns } from '../speech/speech-output.ts'
import type { WorkOptions } from '../speech/speak.ts'
import { baseVoices } from './voices.ts'

/** A text, the description of its voice, and the format of the audio. */
export interface VoiceGeneration {
  readonly text: string
  readonly instruction: string
  readonly format: AudioFormat
}

/**
 * Speaks a text in a described voice. Resolves once the engine has accepted the text. The bytes of the file follow
 * during synthesis. The same instruction always gives the same voice. The voice is not stored: to get an id, create a
 * voice from this audio.
 */
export async function generateVoice(
  {
    speech,
    designer,
    codec,
    semaphores,
    maxOutputSeconds,
  }: Pick<Services, 'speech' | 'designer' | 'codec' | 'semaphores' | 'maxOutputSeconds'>,
  { text, instruction, format }: VoiceGeneration,
  options: WorkOptions,
): Promise<AsyncIterable<Uint8Array>> {
  const { base, ...manner } = designer.fromInstruction(instruction, baseVoices(speech, 'instruction'))
  const { signal, tenant, id, meter } = options
  const turns = speechTurns(semaphores, tenant)
  const accepted = await speech.synthesize({ text, voiceId: base, manner }, { signal, turns, client: { tenant, id } })
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
