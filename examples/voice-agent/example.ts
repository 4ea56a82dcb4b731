import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { writeFile } from 'node:fs/promises'
import { FakeListChatModel } from '@langchain/core/utils/testing'
import { AudioClient, type PcmFormat } from '@svc-audio/core'
import { encodeWav, pcmSeconds } from '@svc-audio/core/audio'
import { voiceAgent } from '@svc-audio/langchain-tools/voice'
import { serverUrl, wordErrorRate } from '@svc-audio/testing'
import { type ServerMessage, VOICE_PROTOCOL, VoiceServer } from '@svc-audio/voice'
import { attachVoice } from '@svc-audio/voice/node'
import { createAgent } from 'langchain'
import type { ExampleContext, ExampleOutcome } from '../run.ts'

const QUESTION = 'When does the train to the coast leave?'
const ANSWER = 'The train to the coast leaves at seven in the morning.'
const FORMAT: PcmFormat = { sampleRate: 16_000, channels: 1, bitDepth: 16 }

/**
 * A voice agent behind a WebSocket. A program in place of the browser asks a question in real time and hears the answer.
 * The model is scripted: it writes 15 ms per character.
 */
export async function run({ baseUrl, apiKey, folder }: ExampleContext): Promise<ExampleOutcome> {
  await using client = new AudioClient({ baseUrl, apiKey })
  const model = new FakeListChatModel({ responses: [ANSWER], sleep: 15 })
  const agent = createAgent({ model, tools: [] })
  const server = createServer()
  const voice = new VoiceServer(voiceAgent({ client, voice_id: 'rms', agent }))
  const attached = attachVoice(server, { voice })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const speech = await client.speech.stream({ model: 'svc-tts-1.5-flash', input: QUESTION, voice_id: 'rms' })
    const pieces: Uint8Array[] = []
    for await (const piece of speech) pieces.push(piece)
    const { heard, answer, format, parts } = await ask(`${serverUrl(server, 'ws')}/voice`, Buffer.concat(pieces))
    const file = join(folder, 'answer.wav')
    await writeFile(file, encodeWav(format, answer))
    const { text: transcript } = await client.transcriptions.create({ model: 'svc-transcribe-1.0', file })
    return {
      summary: `asked “${heard}”; first audio ${parts}`,
      audioSeconds: pcmSeconds(format, Buffer.concat(answer).byteLength),
      transcript,
      wordErrorRate: wordErrorRate(ANSWER, transcript),
    }
  } finally {
    await attached.close()
    server.close()
  }
}

interface Answer {
  /** What the agent understood. */
  readonly heard: string
  readonly answer: readonly Uint8Array[]
  readonly format: PcmFormat
  /** What the time from the end of the question to the first audio consists of. */
  readonly parts: string
}

/** Speaks the question and a pause in real time, and reads the answer to its end. */
async function ask(url: string, question: Uint8Array): Promise<Answer> {
  const socket = new WebSocket(url)
  socket.binaryType = 'arraybuffer'
  const times = new Map<string, number>()
  const answer: Uint8Array[] = []
  let heard = ''
  let format = FORMAT
  const { promise: ready, resolve: begin } = Promise.withResolvers<void>()
  const { promise: ended, resolve: end, reject: fail } = Promise.withResolvers<void>()
  socket.addEventListener('open', () =>
    socket.send(JSON.stringify({ type: 'start', protocol: VOICE_PROTOCOL, format: FORMAT })),
  )
  socket.addEventListener('close', ({ code, reason }) => fail(new Error(`closed with ${code}: ${reason}`)))
  socket.addEventListener('message', ({ data }: { readonly data: string | ArrayBuffer }) => {
    if (typeof data !== 'string') {
      answer.push(new Uint8Array(data))
      // It plays at once: without a position, the server sends two seconds.
      const seconds = pcmSeconds(
        format,
        answer.reduce((bytes, { byteLength }) => bytes + byteLength, 0),
      )
      socket.send(JSON.stringify({ type: 'played', turn: 1, seconds }))
      return
    }
    const message: ServerMessage = JSON.parse(data)
    if (!times.has(message.type)) times.set(message.type, performance.now())
    if (message.type === 'ready') begin()
    else if (message.type === 'stt_output') heard = message.transcript
    else if (message.type === 'audio_format') ({ format } = message)
    else if (message.type === 'error') fail(new Error(message.message))
    else if (message.type === 'turn_end') end()
  })
  await ready
  const spokenAt = await speak(socket, question, ended)
  await ended
  socket.close()
  const at = (type: string): number => (times.get(type) ?? Number.NaN) - spokenAt
  const parts = [
    `${at('audio_format').toFixed(0)} ms after the question`,
    `transcript ${at('stt_output').toFixed(0)}`,
    `first sentence ${(at('agent_message') - at('stt_output')).toFixed(0)}`,
    `first sample ${(at('audio_format') - at('agent_message')).toFixed(0)}`,
  ]
  return { heard, answer, format, parts: parts.join(', ') }
}

/** @returns when the question ended */
async function speak(socket: WebSocket, question: Uint8Array, ended: Promise<void>): Promise<number> {
  const piece = 640
  const start = performance.now()
  const over = new AbortController()
  const stop = (): void => over.abort()
  ended.then(stop, stop)
  let spokenAt = 0
  for (let at = 0; !over.signal.aborted; at += piece) {
    const part = question.subarray(at, at + piece)
    if (part.byteLength === 0) spokenAt ||= performance.now()
    const frame = new Uint8Array(piece)
    frame.set(part)
    socket.send(frame)
    await setTimeout(Math.max(0, start + at / 32 - performance.now()))
  }
  return spokenAt
}
