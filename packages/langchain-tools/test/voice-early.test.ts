import { hold, json, type ResponseFunction } from '@svc-audio/testing'
import { detectUtterances, type VoiceEvent, voiceEvent } from '@svc-audio/voice'
import { describe, expect, test } from 'vitest'
import { agentStage, transcribeStage, VoiceConversation } from '../src/voice/index.ts'
import { fails, startUpstream, type Upstream } from './support/upstream.ts'
import { ScriptedAgent } from './support/voice.ts'

/** A busy machine takes its time. */
const SOON = { timeout: 60_000 }
const RATE = 16_000
const FORMAT = { sampleRate: RATE, channels: 1, bitDepth: 16 }

/** Sound like syllables. */
const speech = (seconds: number): Uint8Array =>
  bytes(seconds, (index) => Math.sin(index / 20) * ((index / RATE) % 0.21 > 0.15 ? 30 : 10_000))
const silence = (seconds: number): Uint8Array => bytes(seconds, (index) => (index * 7919) % 60)

function bytes(seconds: number, sample: (index: number) => number): Uint8Array {
  return new Uint8Array(Int16Array.from({ length: seconds * RATE }, (_, index) => sample(index)).buffer)
}

/** A microphone into which a test speaks, and what is heard. */
function listen(upstream: Upstream, early?: boolean) {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>(undefined, { highWaterMark: 100 })
  const writer = writable.getWriter()
  const utterances = detectUtterances(readable, { format: FORMAT, speech: 'loudness' })
  const options = { client: upstream.client, format: FORMAT, ignoreMelodies: false }
  const heard = transcribeStage(utterances, { ...options, ...(early === undefined ? {} : { early }) })
  const events: VoiceEvent[] = []
  const reading = (async () => {
    for await (const event of heard) events.push(event)
  })()
  return {
    events,
    hear: (audio: Uint8Array) => void writer.write(audio),
    end: async (): Promise<string[]> => {
      await writer.close()
      await reading
      return events.map((event) => ('transcript' in event ? `${event.type}: ${event.transcript}` : event.type))
    },
  }
}

const requests = ({ requests: all }: Upstream): number => all.length

describe('recognition in the pause', () => {
  test('begins before the pause ends the utterance, and is final then: one request', async () => {
    const upstream = await startUpstream(() => json({ text: 'hello' }))
    const { hear, end, events } = listen(upstream)
    hear(silence(1))
    hear(speech(1))
    hear(silence(0.4))
    await expect.poll(() => requests(upstream), SOON).toBe(1)
    await expect.poll(() => events.at(-1), SOON).toMatchObject({ type: 'stt_early', transcript: 'hello' })
    hear(silence(1))
    expect(await end()).toEqual(['user_input', 'stt_early: hello', 'stt_output: hello'])
    expect(requests(upstream)).toBe(1)
  })

  test('is dropped when the user goes on: the words are those of the whole utterance', async () => {
    const first = hold()
    let asked = 0
    const answer: ResponseFunction = (exchange) =>
      (asked += 1) === 1 ? first(exchange) : json({ text: `hello ${asked}` })
    const upstream = await startUpstream(answer)
    const { hear, end } = listen(upstream)
    hear(silence(1))
    hear(speech(1))
    hear(silence(0.4))
    await expect.poll(() => requests(upstream), SOON).toBe(1)
    hear(speech(1))
    hear(silence(1))
    await expect.poll(() => requests(upstream), SOON).toBe(2)
    expect(await end()).toEqual(['user_input', 'stt_output: hello 2'])
    expect(await upstream.requests[0]?.closed()).toBe('closedByClient')
  })

  test('is asked for once, at the end, when it is off', async () => {
    const upstream = await startUpstream(() => json({ text: 'hello' }))
    const { hear, end } = listen(upstream, false)
    for (const audio of [silence(1), speech(1), silence(0.4), speech(1), silence(1)]) hear(audio)
    expect(await end()).toEqual(['user_input', 'stt_output: hello'])
    expect(requests(upstream)).toBe(1)
  })

  test('that fails is asked for again, with the whole utterance', async () => {
    let asked = 0
    const answer: ResponseFunction = () => ((asked += 1) === 1 ? fails(400) : json({ text: 'hello' }))
    const upstream = await startUpstream(answer)
    const { hear, end } = listen(upstream)
    for (const audio of [silence(1), speech(1), silence(1)]) hear(audio)
    expect(await end()).toEqual(['user_input', 'stt_output: hello'])
  })
})

describe('a preemptive answer', () => {
  /** What the agent was asked, and what came of it. */
  async function answer(early: string, final: string, preemptive: boolean) {
    const agent = new ScriptedAgent(async (say, turn) => say(`Answer ${turn}.`))
    const conversation = new VoiceConversation()
    async function* user(): AsyncGenerator<VoiceEvent> {
      yield voiceEvent({ type: 'stt_early', transcript: early })
      await new Promise((resolve) => setTimeout(resolve, 20))
      yield voiceEvent({ type: 'stt_output', transcript: final })
    }
    const types: string[] = []
    for await (const event of agentStage(user(), { agent, conversation, preemptive }))
      types.push(event.type === 'agent_end' ? event.text : event.type)
    return { asked: agent.inputs, types, history: conversation.messages.map(({ text }) => text) }
  }

  test('begins in the pause, and is told when the pause has ended', async () => {
    expect(await answer('hello', 'hello', true)).toEqual({
      asked: [['hello']],
      types: ['stt_output', 'agent_chunk', 'agent_message', 'Answer 1.'],
      history: ['hello', 'Answer 1.'],
    })
  })

  test('is thrown away when the user goes on', async () => {
    expect(await answer('hello', 'hello world', true)).toEqual({
      asked: [['hello'], ['hello world']],
      types: ['stt_output', 'agent_chunk', 'agent_message', 'Answer 2.'],
      history: ['hello world', 'Answer 2.'],
    })
  })

  test('is off by default', async () => {
    expect((await answer('hello', 'hello', false)).asked).toEqual([['hello']])
  })
})
