// #region shown
import { createSvcAudio } from '@svc-audio/ai-sdk'
import { generateSpeech, transcribe } from 'ai'
// #endregion
import type { IntegrationContext, IntegrationOutcome } from './round-trip.ts'

/** Calls the functions of the AI SDK. */
export async function run({ text, voice_id, client, signal }: IntegrationContext): Promise<IntegrationOutcome> {
  const call = { abortSignal: signal, maxRetries: 0 }
  // #region shown
  const svcAudio = createSvcAudio({ client })
  const speech = svcAudio.speech('svc-tts-1.5-flash')
  const { audio } = await generateSpeech({ ...call, model: speech, text, voice: voice_id, outputFormat: 'wav' })

  const ears = svcAudio.transcription('svc-transcribe-1.0')
  const heard = await transcribe({ ...call, model: ears, audio: audio.uint8Array })
  // #endregion
  const { uint8Array: bytes, mediaType: type } = audio
  const steps = [`generateSpeech: ${bytes.length} bytes of ${type}`, 'transcribe: a transcript']
  return { audio: { bytes, type }, transcript: heard.text, steps }
}
