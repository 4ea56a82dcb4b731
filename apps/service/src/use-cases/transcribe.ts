import type { Transcription } from '@svc-audio/core/interface'
import type { Services } from '../services.ts'
import type { WorkOptions } from './speak.ts'

/**
 * Transcribes a file on this machine.
 * @throws UndecodableAudioError when it holds no audio
 */
export async function transcribe(
  { codec, recognition, slots }: Services,
  path: string,
  { tenant, signal }: WorkOptions,
): Promise<Transcription> {
  const recognize = () => recognition.recognize(codec.decode(path, { signal }), { signal })
  const { text } = await slots.recognition.use(tenant, signal, recognize)
  return { text }
}
