import { setImmediate } from 'node:timers/promises'
import { pcmSeconds } from '@svc-audio/core/audio'
import { AIMessage, RemoveMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { tool } from '@langchain/core/tools'
import { type ResponseFunction, happy, stall } from '@svc-audio/testing'
import type { AudioClient } from '@svc-audio/core'
import { voiceEvent } from '@svc-audio/voice'
import { createAgent, createMiddleware } from 'langchain'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  agentStage,
  type AgentStageOptions,
  speakStage,
  transcribeStage,
  voiceAgent,
  VoiceConversation,
  type VoiceEvent,
} from '../src/voice/index.ts'
import { memorySaver } from './support/memory-saver.ts'
import { fails, startUpstream, WAV } from './support/upstream.ts'
import { microphone, pipeline, ScriptedAgent, speechInputs } from './support/voice.ts'

const NOTHING: AsyncIterable<never> = new ReadableStream<never>()
const withCheckpointer = () => createAgent({ model: fakeModel(), tools: [], checkpointer: memorySaver() })

test('a turn: the words of the user, the answer by sentences, its audio, and the end', async () => {
  const upstream = await startUpstream()
  const weather = tool(() => 'sunny', { name: 'weather', description: 'd', schema: z.object({}) })
  const model = fakeModel()
    .respond(new AIMessage({ content: '', tool_calls: [{ name: 'weather', args: {}, id: 'call_1' }] }))
    .respond(new AIMessage('It is **sunny**. Take a hat.'))
  const agent = createAgent({ model, tools: [weather] })
  const mic = microphone()
  mic.say(WAV)
  mic.hangUp()
  const events: VoiceEvent[] = []
  for await (const event of pipeline(upstream, agent, mic.stream)) events.push(event)
  const types = events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1])
  expect(types.filter((type) => !type.startsWith('tts'))).toEqual([
    'user_input',
    'stt_output',
    'tool_call',
    'tool_result',
    'agent_chunk',
    'agent_message',
    'agent_end',
    'turn_end',
  ])
  expect(events.find(({ type }) => type === 'stt_output')).toMatchObject({ transcript: 'hello there' })
  expect(events.find(({ type }) => type === 'agent_end')).toMatchObject({ text: 'It is **sunny**. Take a hat.' })
  expect(speechInputs(upstream)).toEqual(['It is sunny.', 'Take a hat.'])
  expect(events.every(({ ts }) => Number.isInteger(ts))).toBe(true)
})

describe('the messages of an agent', () => {
  const lookUp = new AIMessage({
    content: 'Let me look that up',
    tool_calls: [{ name: 'look_up', args: {}, id: 'call_1' }],
  })

  test('before a tool are spoken while it works, and apart from the next one', async () => {
    const upstream = await startUpstream()
    const { promise: firstAudio, resolve: hear } = Promise.withResolvers<void>()
    const wait = async (): Promise<string> => {
      await firstAudio
      return 'four'
    }
    const tools = [tool(wait, { name: 'look_up', description: 'd', schema: z.object({}) })]
    const model = fakeModel().respond(lookUp).respond(new AIMessage('It is four.'))
    const mic = microphone()
    mic.say(WAV)
    mic.hangUp()
    const events: VoiceEvent[] = []
    for await (const event of pipeline(upstream, createAgent({ model, tools }), mic.stream)) {
      events.push(event)
      if (event.type === 'tts_chunk') hear()
    }
    expect(speechInputs(upstream)).toEqual(['Let me look that up', 'It is four.'])
    expect(events.filter(({ type }) => type.startsWith('agent_m') || type === 'agent_end')).toMatchObject([
      { text: 'Let me look that up' },
      { text: 'It is four.' },
      { text: 'Let me look that up It is four.' },
    ])
  })

  test('of models that tools and middleware call are not spoken, and a summary does not repeat the history', async () => {
    const upstream = await startUpstream()
    const inner = fakeModel().respond(new AIMessage('An internal draft.'))
    const summary = fakeModel().respond(new AIMessage('A summary.')).respond(new AIMessage('A summary.'))
    const summarize = createMiddleware({
      name: 'Summarize',
      // as LangChain's own summary does: the history is removed, and what stays is added again
      beforeModel: async ({ messages }) => {
        await summary.invoke('Summarize.')
        return { messages: [new RemoveMessage({ id: '__remove_all__' }), ...messages] }
      },
    })
    const draft = async (): Promise<string> => (await inner.invoke('Draft.')).text
    const agent = createAgent({
      model: fakeModel().respond(lookUp).respond(new AIMessage('It is four.')),
      tools: [tool(draft, { name: 'look_up', description: 'd', schema: z.object({}) })],
      middleware: [summarize],
    })
    const conversation = new VoiceConversation()
    const mic = microphone()
    mic.say(WAV)
    mic.hangUp()
    for await (const event of pipeline(upstream, agent, mic.stream, { conversation }))
      expect(event.type).not.toBe('error')
    expect(inner.callCount).toBe(1)
    expect(summary.callCount).toBe(2)
    expect(speechInputs(upstream)).toEqual(['Let me look that up', 'It is four.'])
    expect(conversation.messages.map(({ text }) => text)).toEqual([
      'hello there',
      'Let me look that up',
      'An internal draft.',
      'It is four.',
    ])
  })

  test('are not cut by a complete message of a node beside them', async () => {
    const upstream = await startUpstream()
    const mic = microphone()
    mic.say(WAV)
    mic.hangUp()
    const parts = [
      ['messages', [new AIMessage({ id: 'a', content: 'It is wonder' }), { langgraph_node: 'model_request' }]],
      ['updates', { grader: { messages: [new AIMessage({ id: 'b', content: 'Good.' })] } }],
      ['messages', [new AIMessage({ id: 'a', content: 'ful.' }), { langgraph_node: 'model_request' }]],
    ]
    const agent = { stream: async () => ReadableStream.from(parts) }
    for await (const event of pipeline(upstream, agent, mic.stream)) expect(event.type).not.toBe('error')
    expect(speechInputs(upstream)).toEqual(['It is wonderful.'])
  })

  test('are chosen by isSpoken, which gets node, path and tags', async () => {
    const upstream = await startUpstream()
    const sources: unknown[] = []
    const mic = microphone()
    mic.say(WAV)
    mic.hangUp()
    const heard = transcribeStage(mic.stream, { client: upstream.client })
    const agent = createAgent({ model: fakeModel().respond(new AIMessage('Not for ears.')), tools: [] })
    const isSpoken: AgentStageOptions['isSpoken'] = ({ text }, source) => {
      sources.push(source)
      return text !== 'Not for ears.'
    }
    const events: VoiceEvent[] = []
    for await (const event of agentStage(heard, { agent, isSpoken })) events.push(event)
    expect(sources[0]).toEqual({ node: 'model_request', path: ['model_request'], tags: [] })
    expect(events.at(-1)).toMatchObject({ type: 'agent_end', text: '' })
  })
})

test('the first audio comes before the answer is complete', async () => {
  const upstream = await startUpstream()
  const { promise: firstAudio, resolve: hear } = Promise.withResolvers<void>()
  const agent = new ScriptedAgent(async (say) => {
    say('This is the first sentence. And this ')
    await firstAudio
    say('is the second.')
  })
  const mic = microphone()
  mic.say(WAV)
  mic.hangUp()
  const types: string[] = []
  for await (const { type } of pipeline(upstream, agent, mic.stream)) {
    types.push(type)
    if (type === 'tts_chunk') hear()
  }
  expect(types.indexOf('tts_chunk')).toBeLessThan(types.indexOf('agent_end'))
  expect(speechInputs(upstream)).toEqual(['This is the first sentence.', 'And this is the second.'])
})

describe('barge-in', () => {
  test('stops the agent and the synthesis upstream, and the history holds what was heard', async () => {
    const { promise: cut, resolve: sawCut } = Promise.withResolvers<void>()
    let speeches = 0
    const stalled = stall({ afterBytes: 2000 })
    const answer: ResponseFunction = async (exchange) => {
      if (exchange.request.route !== 'POST /v1/audio/speech' || (speeches += 1) !== 2) return happy(exchange)
      exchange.signal.addEventListener('abort', () => sawCut(), { once: true })
      return stalled(exchange)
    }
    const upstream = await startUpstream(answer)
    const agent = new ScriptedAgent(async (say, turn) => {
      if (turn === 2) return say('Yes.')
      say('One is heard. Two is cut off. And ')
      await new Promise(() => {})
    })
    const conversation = new VoiceConversation()
    const mic = microphone()
    mic.say(WAV)
    const events: VoiceEvent[] = []
    for await (const event of pipeline(upstream, agent, mic.stream, { conversation })) {
      events.push(event)
      if (event.type === 'tts_sentence' && event.text.startsWith('Two')) mic.say(WAV)
      if (event.type === 'turn_end') mic.hangUp()
    }
    await cut
    expect(events.find(({ type }) => type === 'interrupted')).toMatchObject({ heard: 'One is heard.' })
    expect(speechInputs(upstream)).toEqual(['One is heard.', 'Two is cut off.', 'Yes.'])
    expect(agent.aborted).toBeGreaterThanOrEqual(1)
    expect(agent.inputs[1]).toEqual(['hello there', 'One is heard. [interrupted]', 'hello there'])
    expect(conversation.messages.at(-1)?.text).toBe('Yes.')
  })

  test('with playedSeconds, the heard text follows the player', async () => {
    const upstream = await startUpstream()
    const agent = new ScriptedAgent(async (say, turn) => say(turn === 1 ? 'One two three four. Five six.' : 'Yes.'))
    const mic = microphone()
    mic.say(WAV)
    let seconds = 0
    let spoke = false
    const events: VoiceEvent[] = []
    const playedSeconds = (): number => seconds / 3.9
    for await (const event of pipeline(upstream, agent, mic.stream, { playedSeconds })) {
      events.push(event)
      if (event.type === 'tts_chunk') {
        const { sampleRate, channels, bitDepth } = event.format
        seconds += event.audio.byteLength / (sampleRate * channels * (bitDepth / 8))
      }
      if (event.type !== 'turn_end') continue
      if (spoke) mic.hangUp()
      else mic.say(WAV)
      spoke = true
    }
    // A little more than a quarter of two sentences of the same length is half of the first one.
    expect(events.find(({ type }) => type === 'interrupted')).toMatchObject({ heard: 'One two' })
  })
})

test('an answer whose player rounds its position is heard to its end', async () => {
  const upstream = await startUpstream()
  const agent = new ScriptedAgent(async (say) => say('One two three four.'))
  const conversation = new VoiceConversation()
  const mic = microphone()
  mic.say(WAV)
  let seconds = 0
  let isAnswering: boolean | undefined
  const playedSeconds = (): number => seconds - 0.01
  for await (const event of pipeline(upstream, agent, mic.stream, { playedSeconds, conversation })) {
    if (event.type === 'tts_chunk') seconds += pcmSeconds(event.format, event.audio.byteLength)
    if (event.type !== 'turn_end') continue
    isAnswering = conversation.isAnswering
    mic.hangUp()
  }
  expect(isAnswering).toBe(false)
  expect(conversation.messages.at(-1)?.text).toBe('One two three four.')
})

test('synthesis waits for a reader that takes no audio', async () => {
  const upstream = await startUpstream()
  const agent = new ScriptedAgent(async (say) => say('A sentence to say. '.repeat(40)))
  const mic = microphone()
  mic.say(WAV)
  mic.hangUp()
  const events = pipeline(upstream, agent, mic.stream)
  for await (const { type } of events) if (type === 'tts_chunk') break
  expect(speechInputs(upstream).length).toBeLessThan(20)
})

test.each([
  ['transcribe', 'POST /v1/audio/transcriptions'],
  ['speak', 'POST /v1/audio/speech'],
])('an error of %s is an event, and the next turn works', async (stage, route) => {
  let failed = false
  const upstream = await startUpstream((exchange) => {
    if (failed || exchange.request.route !== route) return happy(exchange)
    failed = true
    return fails(400)
  })
  const agent = new ScriptedAgent(async (say) => say('Yes.'))
  const mic = microphone()
  mic.say(WAV)
  const events: VoiceEvent[] = []
  let said = false
  for await (const event of pipeline(upstream, agent, mic.stream)) {
    events.push(event)
    if (event.type === 'error') {
      mic.say(WAV)
      said = true
    }
    if (event.type === 'tts_chunk' && said) mic.hangUp()
  }
  expect(events.filter(({ type }) => type === 'error')).toMatchObject([{ stage, error: { status: 400 } }])
  expect(events.at(-1)).toMatchObject({ type: 'turn_end' })
})

test('an abort ends the pipeline with its reason', async () => {
  const upstream = await startUpstream()
  const agent = new ScriptedAgent(() => new Promise(() => {}))
  const controller = new AbortController()
  const reason = new Error('the user hung up')
  const mic = microphone()
  mic.say(WAV)
  const read = async (): Promise<void> => {
    for await (const { type } of pipeline(upstream, agent, mic.stream, { signal: controller.signal })) {
      if (type === 'stt_output') controller.abort(reason)
    }
  }
  await expect(read()).rejects.toBe(reason)
  await expect.poll(() => agent.aborted).toBe(1)
})

test('an abort before a run begins begins none', async () => {
  const agent = new ScriptedAgent(() => new Promise(() => {}))
  const controller = new AbortController()
  async function* user(): AsyncGenerator<VoiceEvent> {
    yield voiceEvent({ type: 'stt_output', transcript: 'hello' })
    await new Promise(() => {})
  }
  const read = async (): Promise<void> => {
    for await (const event of agentStage(user(), { agent, signal: controller.signal })) {
      expect(event.type).toBe('stt_output')
      controller.abort(new Error('the user hung up'))
    }
  }
  await expect(read()).rejects.toThrow('the user hung up')
  await setImmediate()
  expect(agent.inputs).toEqual([])
})

test.each<[option: string, make: (client: AudioClient) => unknown]>([
  ['client', () => transcribeStage(NOTHING, {} as never)],
  ['Unknown option `voice`', (client) => speakStage(NOTHING, { client, voice_id: 'rms', voice: 'slt' } as never)],
  ['voice_id', (client) => speakStage(NOTHING, { client, voice_id: '' })],
  ['speed', (client) => speakStage(NOTHING, { client, voice_id: 'rms', speed: 0 })],
  ['playedSeconds', (client) => speakStage(NOTHING, { client, voice_id: 'rms', playedSeconds: 1 } as never)],
  ['agent', () => agentStage(NOTHING, { agent: {} } as never)],
  ['isSpoken', () => agentStage(NOTHING, { agent: new ScriptedAgent(async () => {}), isSpoken: true } as never)],
  ['`bargeIn.commands` must be', (client) => transcribeStage(NOTHING, { client, bargeIn: { commands: ['!'] } })],
  ['signal', (client) => transcribeStage(NOTHING, { client, signal: {} } as never)],
  ['conversation', () => agentStage(NOTHING, { agent: new ScriptedAgent(async () => {}), conversation: [] } as never)],
  [
    'agentStage(): `agent` has a checkpointer',
    () => agentStage(NOTHING, { agent: withCheckpointer(), conversation: new VoiceConversation() }),
  ],
  [
    'voiceAgent(): `agent` has a checkpointer',
    (client) => voiceAgent({ client, voice_id: 'rms', agent: withCheckpointer() }),
  ],
  [
    'agentStage(): `agent` has a checkpointer',
    () => agentStage(NOTHING, { agent: withCheckpointer().graph, conversation: new VoiceConversation() }),
  ],
])('a wrong option of a stage is refused at once: %s', async (option, make) => {
  const { client } = await startUpstream()
  expect(() => make(client)).toThrow(option)
})
