import { createReadStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { DeepgramClient } from '@deepgram/sdk'

const deepgram = new DeepgramClient()
const play = (_chunk: Uint8Array): void => {}
const show = (_text: unknown): void => {}

/** Speech into a file. */
export async function speechFile(text: string): Promise<void> {
  // #region speech-file
  const speech = await deepgram.speak.v1.audio.generate({ text, model: 'aura-2-thalia-en' })
  await writeFile('hello.mp3', Buffer.from(await speech.arrayBuffer()))
  // #endregion
}

/** A route that answers with speech. */
export async function speechRoute(text: string): Promise<Response> {
  // #region speech-route
  const speech = await deepgram.speak.v1.audio.generate({ text, model: 'aura-2-thalia-en' })
  return new Response(speech.stream(), { headers: { 'content-type': 'audio/mpeg' } })
  // #endregion
}

/** Speech that plays while it is made. */
export async function liveSpeech(text: string): Promise<void> {
  // #region live-speech
  const body = { text, model: 'aura-2-thalia-en', encoding: 'linear16', container: 'none' } as const
  const speech = await deepgram.speak.v1.audio.generate(body)
  for await (const chunk of speech.stream() ?? []) play(chunk)
  // #endregion
}

/** Aborts speech after a deadline. */
export async function deadline(text: string, abortSignal: AbortSignal): Promise<void> {
  // #region deadline
  const body = { text, model: 'aura-2-thalia-en' } as const
  show(await deepgram.speak.v1.audio.generate(body, { timeoutInSeconds: 5, abortSignal }))
  // #endregion
}

/** The text of a file. */
export async function transcribe(): Promise<string | undefined> {
  // #region text
  const file = createReadStream('talk.mp3')
  const talk = await deepgram.listen.v1.media.transcribeFile(file, { model: 'nova-3' })
  if (!('results' in talk)) throw new Error('There is no text')
  return talk.results.channels[0]?.alternatives?.[0]?.transcript
  // #endregion
}

/** Who said what. */
export async function speakers(): Promise<void> {
  // #region speakers
  const file = createReadStream('talk.mp3')
  const body = { model: 'nova-3', diarize: true, utterances: true } as const
  const talk = await deepgram.listen.v1.media.transcribeFile(file, body)
  if (!('results' in talk)) throw new Error('There is no text')
  for (const { speaker, transcript } of talk.results.utterances ?? []) show(`${speaker}: ${transcript}`)
  // #endregion
}
