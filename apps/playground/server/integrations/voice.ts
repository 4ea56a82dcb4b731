import { createServer } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { once } from 'node:events'
import { encodeWav, type PcmFormat, pcmSeconds } from '@svc-audio/core/audio'
// #region shown
import { voiceAgent } from '@svc-audio/langchain-tools/voice'
import { VoiceServer } from '@svc-audio/voice'
import { attachVoice } from '@svc-audio/voice/node'
import { createAgent } from 'langchain'
// #endregion
import { serverUrl } from '@svc-audio/testing'
import { type ServerMessage, VOICE_PROTOCOL } from '@svc-audio/voice'
import { ScriptedModel } from '../talk.ts'
import type { IntegrationContext, IntegrationOutcome } from './round-trip.ts'

/** Milliseconds until a conversation without an answer is an error. */
const CALL_TIMEOUT = 120_000

/** Holds a conversation of one question. A program takes the place of the browser. */
export async function run({ text, voice_id, client, signal }: IntegrationContext): Promise<IntegrationOutcome> {
  // it repeats what it hears, and needs no account
  const model = new ScriptedModel((messages) => ({ text: messages.at(-1)?.text ?? '' }))
  const server = createServer()
  // #region shown
  const agent = createAgent({ model, tools: [] })
  const voice = new VoiceServer(voiceAgent({ client, voice_id, agent }))
  const attached = attachVoice(server, { voice })
  server.listen(0, '127.0.0.1')
  // #endregion
  await once(server, 'listening')
  try {
    const speech = await client.speech.stream({ model: 'svc-tts-1.5-flash', input: text, voice_id }, { signal })
    const pieces: Uint8Array[] = []
    for await (const piece of speech) pieces.push(piece)
    const { format } = speech
    const question = { format, pcm: Buffer.concat(pieces) }
    const late = AbortSignal.any([signal, AbortSignal.timeout(CALL_TIMEOUT)])
    const { heard, seconds } = await call(`${serverUrl(server, 'ws')}/voice`, question, late)
    const steps = [
      `The caller speaks for ${pcmSeconds(format, question.pcm.byteLength).toFixed(1)} s`,
      `The agent answers for ${seconds.toFixed(1)} s`,
    ]
    return { audio: { bytes: encodeWav(format, pieces), type: 'audio/wav' }, transcript: heard, steps }
  } finally {
    await attached.close()
    server.close()
  }
}

interface Question {
  readonly format: PcmFormat
  readonly pcm: Uint8Array
}

/** Speaks in real time until an answer has come to its end after the last word. */
async function call(
  url: string,
  { format, pcm }: Question,
  signal: AbortSignal,
): Promise<{ readonly heard: string; readonly seconds: number }> {
  const socket = new WebSocket(url)
  socket.binaryType = 'arraybuffer'
  const heard: string[] = []
  let answer = format
  let bytes = 0
  let turn = 0
  let isSaid = false
  const ready = Promise.withResolvers<void>()
  const over = Promise.withResolvers<void>()
  const fail = (error: Error): void => {
    ready.reject(error)
    over.reject(error)
  }
  over.promise.catch(() => {})
  signal.addEventListener('abort', () => fail(new Error('The run was stopped', { cause: signal.reason })))
  socket.addEventListener('open', () =>
    socket.send(JSON.stringify({ type: 'start', protocol: VOICE_PROTOCOL, format })),
  )
  socket.addEventListener('close', ({ code, reason }) => fail(new Error(`closed with ${code}: ${reason}`)))
  socket.addEventListener('message', ({ data }: { readonly data: string | ArrayBuffer }) => {
    if (typeof data !== 'string') {
      bytes += data.byteLength
      // It plays at once: without a position, the server sends two seconds.
      socket.send(JSON.stringify({ type: 'played', turn, seconds: pcmSeconds(answer, bytes) }))
      return
    }
    const message: ServerMessage = JSON.parse(data)
    if (message.type === 'ready') ready.resolve()
    else if (message.type === 'audio_format') answer = message.format
    else if (message.type === 'error') fail(new Error(message.message))
    else if (message.type === 'stt_output') {
      heard.push(message.transcript)
      turn += 1
      bytes = 0
    } else if (message.type === 'turn_end' && isSaid) over.resolve()
  })
  try {
    await ready.promise
    const ended = new AbortController()
    over.promise.finally(() => ended.abort()).catch(() => {})
    const piece = 2 * Math.round(format.sampleRate / 50)
    const start = performance.now()
    for (let at = 0; !ended.signal.aborted; at += piece) {
      const frame = new Uint8Array(piece)
      frame.set(pcm.subarray(at, at + piece))
      isSaid ||= at >= pcm.byteLength
      socket.send(frame)
      await setTimeout(Math.max(0, start + (20 * at) / piece - performance.now()))
    }
    await over.promise
    return { heard: heard.join(' '), seconds: pcmSeconds(answer, bytes) }
  } finally {
    socket.close()
  }
}
