import { ConfigurationError } from '@svc-audio/core'
import { describe, expect, test, vi } from 'vitest'
import { type VoiceCall, voiceEvent, VoiceServer, type VoiceServerOptions } from '../src/index.ts'
import { AUDIO, FORMAT, listen, serveVoice, talk } from './support/talk.ts'

test('a conversation: the microphone reaches the pipeline, and its events and audio reach the client', async () => {
  const heard: Uint8Array[] = []
  const { url } = await serveVoice({
    async *converse({ microphone, format }) {
      expect(format).toEqual(FORMAT)
      for await (const piece of microphone) {
        heard.push(piece)
        yield voiceEvent({ type: 'stt_output', transcript: 'hello' })
        yield voiceEvent({ type: 'tool_call', id: 'a', name: 'look_up', args: { secret: 1 } })
        yield voiceEvent({ type: 'tool_result', toolCallId: 'a', name: 'look_up', result: 'secret' })
        yield voiceEvent({ type: 'tts_chunk', audio: AUDIO, format: { ...FORMAT, sampleRate: 22_050 } })
        yield voiceEvent({ type: 'tts_chunk', audio: AUDIO, format: { ...FORMAT, sampleRate: 22_050 } })
        return
      }
    },
  })
  const talker = await talk(url)
  const { session } = await talker.start()
  expect(session).toMatch(/^[\da-f-]{36}$/)
  talker.socket.send(AUDIO)
  expect(await talker.closed()).toEqual({ code: 1000, reason: 'The conversation is over' })
  expect(Buffer.concat(heard).equals(AUDIO)).toBe(true)
  expect(talker.messages).toEqual([
    { type: 'ready', protocol: 1, session, resumed: false },
    { type: 'stt_output', transcript: 'hello', ts: expect.any(Number) },
    { type: 'tool_call', id: 'a', name: 'look_up', ts: expect.any(Number) },
    { type: 'tool_result', toolCallId: 'a', name: 'look_up', ts: expect.any(Number) },
    { type: 'audio_format', turn: 1, format: { ...FORMAT, sampleRate: 22_050 } },
  ])
  expect(talker.audio.map((audio) => audio.byteLength)).toEqual([AUDIO.byteLength, AUDIO.byteLength])
})

test('an error of a stage reaches the log whole, and the client without its text', async () => {
  const onError = vi.fn<(error: unknown) => void>()
  const failure = new Error('postgres://user:secret@10.0.0.1 is down')
  const { url } = await serveVoice({
    onError,
    async *converse() {
      yield voiceEvent({ type: 'error', stage: 'agent', error: failure })
    },
  })
  const talker = await talk(url)
  await talker.start()
  expect(await talker.next('error')).toMatchObject({ stage: 'agent', message: 'The answer failed. Ask again.' })
  expect(onError).toHaveBeenCalledExactlyOnceWith(failure)
})

test('visible chooses what a browser gets of the events', async () => {
  const { url } = await serveVoice({
    visible: (event) => (event.type === 'stt_output' ? { ...event, transcript: '…' } : undefined),
    async *converse() {
      yield voiceEvent({ type: 'user_input' })
      yield voiceEvent({ type: 'stt_output', transcript: 'hello' })
    },
  })
  const talker = await talk(url)
  await talker.start()
  await talker.closed()
  expect(talker.messages.slice(1)).toEqual([{ type: 'stt_output', transcript: '…', ts: expect.any(Number) }])
})

test('the position of the player reaches the pipeline, and a turn begins at 0', async () => {
  const { promise: call, resolve: begin } = Promise.withResolvers<VoiceCall<undefined, undefined>>()
  const { promise: question, resolve: ask } = Promise.withResolvers<void>()
  const { url } = await serveVoice({
    async *converse(given) {
      begin(given)
      await question
      yield voiceEvent({ type: 'stt_output', transcript: 'hello' })
      await new Promise((resolve) => given.signal.addEventListener('abort', resolve))
    },
  })
  const talker = await talk(url)
  await talker.start()
  const { playedSeconds } = await call
  const report = (turn: number, seconds: number): void =>
    talker.socket.send(JSON.stringify({ type: 'played', turn, seconds }))
  report(0, 1.5)
  await expect.poll(playedSeconds).toBe(1.5)
  ask()
  await talker.next('stt_output')
  expect(playedSeconds()).toBe(0)
  report(0, 9)
  report(1, 0.5)
  await expect.poll(playedSeconds).toBe(0.5)
})

test('a closed connection aborts the pipeline and ends its microphone', async () => {
  const { promise: ended, resolve: end } = Promise.withResolvers<unknown>()
  const { url, voice } = await serveVoice({
    async *converse({ microphone, signal }) {
      yield voiceEvent({ type: 'user_input' })
      for await (const piece of microphone) void piece
      end(signal.reason)
    },
  })
  const talker = await talk(url)
  await talker.start()
  expect(voice.connections).toBe(1)
  talker.socket.close()
  expect(await ended).toMatchObject({ message: 'The voice connection is closed' })
  expect(voice.connections).toBe(0)
})

test('the close of the server asks clients to connect again, and waits for the pipelines', async () => {
  let isOver = false
  const { url, voice } = await serveVoice({
    async *converse({ microphone }) {
      for await (const piece of microphone) void piece
      await new Promise((resolve) => setImmediate(resolve))
      yield voiceEvent({ type: 'turn_end' })
      isOver = true
    },
  })
  const talker = await talk(url)
  await talker.start()
  await voice.close()
  expect(isOver).toBe(false)
  expect(await talker.closed()).toMatchObject({ code: 1012 })
  expect(await (await talk(url)).closed()).toMatchObject({ code: 1012 })
})

describe('a session', () => {
  const stateful = {
    authenticate: (_request: unknown, token: string | undefined) => (token === undefined ? undefined : { id: token }),
    createState: ({ id }: { readonly id: string }) => ({ id, calls: 0 }),
    async *converse(call: VoiceCall<{ readonly id: string }, { id: string; calls: number }>) {
      call.state.calls += 1
      yield voiceEvent({ type: 'agent_end', text: `${call.user.id} ${call.state.calls}` })
      yield* listen(call)
    },
  }

  test('continues after a reconnect of the same user, with its state', async () => {
    const { url } = await serveVoice(stateful)
    const first = await talk(url)
    const { session } = await first.start({ token: 'ann' })
    expect(await first.next('agent_end')).toMatchObject({ text: 'ann 1' })
    first.socket.terminate()
    await first.closed()
    const second = await talk(url)
    expect(await second.start({ token: 'ann', session })).toMatchObject({ session, resumed: true })
    expect(await second.next('agent_end')).toMatchObject({ text: 'ann 2' })
  })

  test('does not continue for another user, or with an unknown name', async () => {
    const { url } = await serveVoice(stateful)
    const { session } = await (await talk(url)).start({ token: 'ann' })
    const other = await talk(url)
    expect(await other.start({ token: 'bob', session })).toMatchObject({ resumed: false })
    expect(await other.next('agent_end')).toMatchObject({ text: 'bob 1' })
    const unknown = await (await talk(url)).start({ token: 'ann', session: 'x' })
    expect(unknown).toMatchObject({ resumed: false })
    expect(unknown.session).not.toBe(session)
  })

  test('has one connection: the later one replaces the earlier one', async () => {
    const { url } = await serveVoice(stateful)
    const first = await talk(url)
    const { session } = await first.start({ token: 'ann' })
    const second = await talk(url)
    expect(await second.start({ token: 'ann', session })).toMatchObject({ resumed: true })
    expect(await first.closed()).toMatchObject({ code: 4409 })
    expect(second.socket.readyState).toBe(second.socket.OPEN)
  })

  test('is forgotten when no reconnect came in time', async () => {
    const { url, voice } = await serveVoice({ ...stateful, reconnectTimeout: 1 })
    const first = await talk(url)
    const { session } = await first.start({ token: 'ann' })
    first.socket.terminate()
    await expect.poll(() => voice.connections).toBe(0)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(await (await talk(url)).start({ token: 'ann', session })).toMatchObject({ resumed: false })
  })
})

test.each<[option: string, options: object]>([
  ['`converse` must be a function', {}],
  ['VoiceServer: Unknown option `origin`; did you mean `origins`?', { converse: listen, origin: '*' }],
  ['`origins` must be a function or an array of origins', { converse: listen, origins: ['https://example.com/page'] }],
  ['`limits`: Unknown field `frames`', { converse: listen, limits: { frames: 1 } }],
  ['`limits.frameBytes` must be an integer of at least 1024 of bytes', { converse: listen, limits: { frameBytes: 5 } }],
  ['`reconnectTimeout` must be a number of milliseconds', { converse: listen, reconnectTimeout: -1 }],
])('a wrong option of the server is refused at once: %s', (message, options) => {
  const make = (): unknown => new VoiceServer(options as VoiceServerOptions)
  expect(make).toThrow(ConfigurationError)
  expect(make).toThrow(message)
})
