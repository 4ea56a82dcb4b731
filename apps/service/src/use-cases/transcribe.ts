import type { Transcription } from '@svc-audio/core/pure'
import type { Services } from '../services.ts'

/**
 * Transcribes a file on this machine.
 * @throws UndecodableAudioError when it holds no audio
 */
export async function transcribe(
  { codec, recognition }: Services,
  path: string,
  signal: AbortSignal,
): Promise<Transcription> {
  const { text } = await recognition.recognize(codec.decode(path, { signal }), { signal })
  return { text }
}
