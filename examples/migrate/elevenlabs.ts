import { createReadStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { ElevenLabsClient } from '@elevenlabs/elevenlabs-js'

const eleven = new ElevenLabsClient()
const voice = 'JBFqnCBsd6RMkjVDRZzb'
const play = (_chunk: Uint8Array): void => {}
const show = (_text: unknown): void => {}

/** Speech into a file. */
export async function speechFile(text: string): Promise<void> {
  // #region speech-file
  const speech = await eleven.textToSpeech.convert(voice, { text, modelId: 'eleven_flash_v2_5' })
  await writeFile('hello.mp3', speech)
  // #endregion
}

/** A route that answers with speech. */
export async function speechRoute(text: string): Promise<Response> {
  // #region speech-route
  const speech = await eleven.textToSpeech.convert(voice, { text, modelId: 'eleven_flash_v2_5' })
  return new Response(speech, { headers: { 'content-type': 'audio/mpeg' } })
  // #endregion
}

/** Speech that plays while it is made. */
export async function liveSpeech(text: string): Promise<void> {
  // #region live-speech
  const body = { text, modelId: 'eleven_flash_v2_5', outputFormat: 'pcm_24000' } as const
  for await (const chunk of await eleven.textToSpeech.stream(voice, body)) play(chunk)
  // #endregion
}

/** Aborts speech after a deadline. */
export async function deadline(text: string, abortSignal: AbortSignal): Promise<void> {
  // #region deadline
  const body = { text, modelId: 'eleven_flash_v2_5' }
  show(await eleven.textToSpeech.convert(voice, body, { timeoutInSeconds: 5, abortSignal }))
  // #endregion
}

/** The text of a file. */
export async function transcribe(): Promise<string> {
  // #region text
  const file = createReadStream('talk.mp3')
  const talk = await eleven.speechToText.convert({ modelId: 'scribe_v1', file })
  if (!('text' in talk)) throw new Error('There is no text')
  return talk.text
  // #endregion
}

/** Who said what. */
export async function speakers(): Promise<void> {
  // #region speakers
  const file = createReadStream('talk.mp3')
  const talk = await eleven.speechToText.convert({ modelId: 'scribe_v1', file, diarize: true })
  if (!('words' in talk)) throw new Error('There are no words')
  // Words, because it has no segments.
  for (const { speakerId, text } of talk.words) show(`${speakerId}: ${text}`)
  // #endregion
}

/** Subtitles of a file. */
export async function subtitles(): Promise<void> {
  // #region subtitles
  const file = createReadStream('talk.mp3')
  const body = { modelId: 'scribe_v1' as const, file, additionalFormats: [{ format: 'srt' as const }] }
  const talk = await eleven.speechToText.convert(body)
  if (!('additionalFormats' in talk)) throw new Error('There are no subtitles')
  await writeFile('talk.srt', talk.additionalFormats?.[0]?.content ?? '')
  // #endregion
}

/** A signed call of the service. */
export async function webhook(request: Request, secret: string): Promise<void> {
  // #region webhook
  const signature = request.headers.get('elevenlabs-signature') ?? ''
  show(await eleven.webhooks.constructEvent(await request.text(), signature, secret))
  // #endregion
}
