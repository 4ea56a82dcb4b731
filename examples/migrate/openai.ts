import { createReadStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import OpenAI from 'openai'
import type { TranscriptionDiarized } from 'openai/resources/audio'

const openai = new OpenAI()
const play = (_chunk: Uint8Array): void => {}
const show = (_text: unknown): void => {}

/** Speech into a file. */
export async function speechFile(input: string): Promise<void> {
  // #region speech-file
  const speech = await openai.audio.speech.create({ model: 'gpt-4o-mini-tts', input, voice: 'alloy' })
  await writeFile('hello.mp3', Buffer.from(await speech.arrayBuffer()))
  // #endregion
}

/** A route that answers with speech. */
export async function speechRoute(input: string): Promise<Response> {
  // #region speech-route
  const speech = await openai.audio.speech.create({ model: 'gpt-4o-mini-tts', input, voice: 'alloy' })
  return new Response(speech.body, { headers: { 'content-type': 'audio/mpeg' } })
  // #endregion
}

/** Speech that plays while it is made. */
export async function liveSpeech(input: string): Promise<void> {
  // #region live-speech
  const body = { model: 'gpt-4o-mini-tts', input, voice: 'alloy', response_format: 'pcm' } as const
  const speech = await openai.audio.speech.create(body)
  for await (const chunk of speech.body ?? []) play(chunk)
  // #endregion
}

/** Aborts speech after a deadline. */
export async function deadline(input: string, signal: AbortSignal): Promise<void> {
  // #region deadline
  const body = { model: 'gpt-4o-mini-tts', input, voice: 'alloy' }
  show(await openai.audio.speech.create(body, { timeout: 5000, signal }))
  // #endregion
}

/** The text of a file. */
export async function transcribe(): Promise<string> {
  // #region text
  const file = createReadStream('talk.mp3')
  const { text } = await openai.audio.transcriptions.create({ model: 'gpt-4o-transcribe', file })
  return text
  // #endregion
}

/** Who said what. */
export async function speakers(): Promise<void> {
  // #region speakers
  const file = createReadStream('talk.mp3')
  const body = { model: 'gpt-4o-transcribe-diarize', file, response_format: 'diarized_json' } as const
  const talk = await openai.audio.transcriptions.create(body)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- openai types this response as one without segments
  const { segments } = talk as TranscriptionDiarized
  for (const { speaker, text } of segments) show(`${speaker}: ${text}`)
  // #endregion
}

/** Subtitles of a file. */
export async function subtitles(): Promise<void> {
  // #region subtitles
  const body = { model: 'whisper-1', file: createReadStream('talk.mp3'), response_format: 'srt' } as const
  await writeFile('talk.srt', await openai.audio.transcriptions.create(body))
  // #endregion
}

/** The text while it is recognized. */
export async function liveText(): Promise<void> {
  // #region live-text
  const file = createReadStream('talk.mp3')
  const stream = await openai.audio.transcriptions.create({ model: 'gpt-4o-transcribe', file, stream: true })
  for await (const event of stream) if (event.type === 'transcript.text.delta') show(event.delta)
  // #endregion
}

/** A signed call of the service. */
export async function webhook(request: Request, secret: string): Promise<void> {
  // #region webhook
  const { headers } = request
  show(await openai.webhooks.unwrap(await request.text(), headers, secret))
  // #endregion
}
