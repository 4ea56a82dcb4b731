import { writeFile } from 'node:fs/promises'
import { AudioClient } from '@svc-audio/core'
import { toSrt } from '@svc-audio/core/subtitles'
import { unwrapWebhook } from '@svc-audio/core/webhooks'

const audio = new AudioClient()
const voice_id = 'rms'
const play = (_chunk: Uint8Array): void => {}
const show = (_text: unknown): void => {}

/** Speech into a file. */
export async function speechFile(input: string): Promise<void> {
  // #region speech-file
  const speech = await audio.speech.create({ model: 'svc-tts-1.5-flash', input, voice_id })
  await speech.saveTo('hello.mp3')
  // #endregion
}

/** A route that answers with speech. */
export async function speechRoute(input: string): Promise<Response> {
  // #region speech-route
  const speech = await audio.speech.create({ model: 'svc-tts-1.5-flash', input, voice_id })
  return speech.asResponse()
  // #endregion
}

/** Speech that plays while it is made. */
export async function liveSpeech(input: string): Promise<void> {
  // #region live-speech
  const stream = await audio.speech.stream({ model: 'svc-tts-1.5-flash', input, voice_id })
  for await (const chunk of stream) play(chunk)
  // #endregion
}

/** Aborts speech after a deadline. */
export async function deadline(input: string, signal: AbortSignal): Promise<void> {
  // #region deadline
  const body = { model: 'svc-tts-1.5-flash', input, voice_id }
  show(await audio.speech.create(body, { timeout: 5000, signal }))
  // #endregion
}

/** The text of a file. */
export async function transcribe(): Promise<string> {
  // #region text
  const { text } = await audio.transcriptions.create({ model: 'svc-transcribe-1.0', file: 'talk.mp3' })
  return text
  // #endregion
}

/** Who said what. */
export async function speakers(): Promise<void> {
  // #region speakers
  const { segments } = await audio.transcriptions.create({ model: 'svc-transcribe-diarize-pro', file: 'talk.mp3' })
  for (const { speaker, text } of segments) show(`${speaker}: ${text}`)
  // #endregion
}

/** Subtitles of a file. */
export async function subtitles(): Promise<void> {
  // #region subtitles
  const talk = await audio.transcriptions.create({ model: 'svc-transcribe-diarize-pro', file: 'talk.mp3' })
  await writeFile('talk.srt', toSrt(talk))
  // #endregion
}

/** The text while it is recognized. */
export async function liveText(): Promise<void> {
  // #region live-text
  const stream = await audio.transcriptions.stream({ model: 'svc-transcribe-diarize-pro', file: 'talk.mp3' })
  for await (const delta of stream.deltas()) show(delta)
  // #endregion
}

/** A long recording, in a job of the service. */
export async function job(url: string): Promise<string> {
  // #region task
  const { text } = await audio.transcriptions.createAndWait({ model: 'svc-transcribe-1.0', url })
  return text
  // #endregion
}

/** A signed call of the service. */
export async function webhook(request: Request, secret: string): Promise<void> {
  // #region webhook
  const { headers } = request
  show(await unwrapWebhook({ body: await request.text(), headers, secret }))
  // #endregion
}
