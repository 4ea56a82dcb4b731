import { once } from 'node:events'
import { SENTENCES, wordErrorRate } from '@svc-audio/testing'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { KEY, startTestService, type TestService } from './support/test-service.ts'

/** The rate of OpenAI's PCM, in Hz, and its bytes of a tenth of a second. */
const RATE = 24_000
const PIECE = RATE / 5

/** Sessions at once. Their audio comes as fast as the service takes it. */
const SESSIONS = 6

const SAID = SENTENCES.slice(0, 4)

let service: TestService
let client: OpenAI
/** The sentences, with a pause after each of them. */
let sound: Buffer
beforeAll(async () => {
  service = await startTestService({ openaiApi: true })
  client = new OpenAI({ apiKey: KEY, baseURL: `${service.url}/openai/v1`, maxRetries: 0 })
  const input = SAID.map((sentence) => `${sentence} [pause 0.9s]`).join(' ')
  const speech = await client.audio.speech.create({ model: 'tts-1', voice: 'rms', input, response_format: 'pcm' })
  sound = Buffer.concat([Buffer.from(await speech.arrayBuffer()), Buffer.alloc(2 * RATE)])
})
afterAll(() => service.close())

/** A session that has received all of the sound, and the transcripts of its turns. */
async function transcribe(pace: number): Promise<string[]> {
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/openai/v1/realtime?intent=transcription`, {
    headers: { authorization: `Bearer ${KEY}` },
  })
  const texts: string[] = []
  let turns = 0
  const done = Promise.withResolvers<undefined>()
  let isSent = false
  socket.on('message', (data) => {
    const event: { type: string; transcript?: string } = JSON.parse(Buffer.isBuffer(data) ? data.toString() : '')
    if (event.type === 'error' || event.type.endsWith('.failed')) done.reject(new Error(JSON.stringify(event)))
    if (event.type === 'input_audio_buffer.speech_started') turns += 1
    if (event.transcript !== undefined) texts.push(event.transcript)
    // The last turn has begun long before the silence at the end.
    if (event.type === 'input_audio_buffer.cleared') isSent = true
    if (isSent && texts.length === turns) done.resolve(undefined)
  })
  await once(socket, 'open')
  const begin = performance.now()
  for (let at = 0; at < sound.length; at += PIECE) {
    const audio = sound.subarray(at, at + PIECE).toString('base64')
    socket.send(JSON.stringify({ type: 'input_audio_buffer.append', audio }))
    const due = begin + (pace * (at + PIECE)) / 2 / RATE
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())))
  }
  socket.send(JSON.stringify({ type: 'input_audio_buffer.clear' }))
  await done.promise
  socket.close()
  return texts
}

describe('a recording that is streamed through a session', () => {
  test('in real time has a transcript for each sentence, with the word errors of the file', async () => {
    const texts = await transcribe(1000)
    const wav = await client.audio.speech.create({
      model: 'tts-1',
      voice: 'rms',
      input: SAID.join(' [pause 0.9s] '),
      response_format: 'wav',
    })
    const file = new File([await wav.blob()], 'a.wav')
    const { text } = await client.audio.transcriptions.create({ model: 'gpt-4o-transcribe', file })
    const reference = SAID.join(' ')
    expect(texts.length).toBeGreaterThanOrEqual(SAID.length)
    expect(wordErrorRate(reference, texts.join(' '))).toBeLessThanOrEqual(wordErrorRate(reference, text) + 0.05)
  })

  test(`beside ${SESSIONS - 1} others has its transcripts`, async () => {
    const [first, ...others] = await Promise.all(Array.from({ length: SESSIONS }, () => transcribe(0)))
    expect(first?.length).toBeGreaterThanOrEqual(SAID.length)
    for (const texts of others) expect(texts).toEqual(first)
  })
})
