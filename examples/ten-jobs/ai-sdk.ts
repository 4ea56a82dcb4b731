import { readFile, writeFile } from 'node:fs/promises'
import { openai } from '@ai-sdk/openai'
import { experimental_generateSpeech as generateSpeech, experimental_transcribe as transcribeAudio } from 'ai'

const show = (_text: unknown): void => {}

/** Speech into a file. */
export async function speechFile(text: string): Promise<void> {
  // #region speech-file
  const { audio } = await generateSpeech({ model: openai.speech('gpt-4o-mini-tts'), text })
  await writeFile('hello.mp3', audio.uint8Array)
  // #endregion
}

/** A route that answers with speech. */
export async function speechRoute(text: string): Promise<Response> {
  // #region speech-route
  const { audio } = await generateSpeech({ model: openai.speech('gpt-4o-mini-tts'), text })
  return new Response(Buffer.from(audio.uint8Array), { headers: { 'content-type': audio.mediaType } })
  // #endregion
}

/** Aborts speech after a deadline. */
export async function deadline(text: string, signal: AbortSignal): Promise<void> {
  // #region deadline
  const abortSignal = AbortSignal.any([signal, AbortSignal.timeout(5000)])
  show(await generateSpeech({ model: openai.speech('gpt-4o-mini-tts'), text, abortSignal }))
  // #endregion
}

/** The text of a file. */
export async function transcribe(): Promise<string> {
  // #region text
  const model = openai.transcription('gpt-4o-transcribe')
  const { text } = await transcribeAudio({ model, audio: await readFile('talk.mp3') })
  return text
  // #endregion
}
