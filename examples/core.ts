// The client: streams speech into a WAV file and transcribes the file.
import { join } from 'node:path'
import { AudioClient } from '@svc-audio/core'
import { wordErrorRate } from '@svc-audio/testing'
import type { ExampleContext, ExampleOutcome } from './run.ts'

const TEXT = 'Good morning. The train to the coast leaves from platform four.'

/** Speaks a sentence and transcribes it. */
export async function run({ baseUrl, apiKey, folder }: ExampleContext): Promise<ExampleOutcome> {
  const audio = new AudioClient({ apiKey, baseUrl })
  const file = join(folder, 'morning.wav')

  // The file appears only if the service confirmed that the speech is complete.
  const speech = await audio.speech.stream({ model: 'svc-tts-1.5-flash', input: TEXT, voice_id: 'rms' })
  const { durationSeconds } = await speech.saveTo(file)

  const { text } = await audio.transcriptions.create({ model: 'svc-transcribe-1.0', file })
  await audio.close()
  return {
    audioSeconds: durationSeconds,
    transcript: text,
    wordErrorRate: wordErrorRate(TEXT, text),
    summary: 'streamed into a file and transcribed',
  }
}
