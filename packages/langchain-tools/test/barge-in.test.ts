import { setImmediate } from 'node:timers/promises'
import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { MessagesAnnotation, StateGraph } from '@langchain/langgraph'
import { ToolNode } from '@langchain/langgraph/prebuilt'
import { UNKNOWN_RESULT, type VoiceEvent, voiceEvent } from '@svc-audio/voice'
import { createAgent } from 'langchain'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { agentStage, type StreamingAgent, VoiceConversation } from '../src/voice/index.ts'
import { memorySaver } from './support/memory-saver.ts'
import { ServedGraphs } from './support/served-graphs.ts'
import { TickingModel, type TickingReply } from './support/ticking-model.ts'

/** Turns of the event loop that a tool takes. */
const TOOL_TICKS = 8
/** Turns that a message of a server is on its way. A model thinks for longer. */
const NETWORK_TICKS = 60
/** Barge-ins, evenly over a whole turn. */
const POINTS = 50

/** Two tools with side effects. */
function booking() {
  const ran = { book: 0, pay: 0 }
  const make = (name: keyof typeof ran, result: string) =>
    tool(
      async () => {
        ran[name] += 1
        for (let tick = 0; tick < TOOL_TICKS; tick += 1) await setImmediate()
        return result
      },
      { name, description: name, schema: { type: 'object', properties: {} } },
    )
  return { ran, tools: [make('book', 'Booked. Table 1.'), make('pay', 'Paid.')] }
}

/** Books, pays and tells it: whatever the history does not show is done again. */
function reply(messages: readonly BaseMessage[]): TickingReply {
  const done = (name: string): boolean =>
    messages.some((message) => ToolMessage.isInstance(message) && message.name === name)
  if (!done('book')) return { text: 'Let me book a table first.', calls: ['book'] }
  if (!done('pay')) return { text: 'Now I pay.', calls: ['pay'] }
  return { text: 'It is done. You have table one, and it is paid.', calls: [] }
}

type Tools = ReturnType<typeof booking>['tools']

/** A graph without createAgent. @param thinkingTicks As of the model. */
function stateGraph(tools: Tools, thinkingTicks = 0): StreamingAgent {
  const model = new TickingModel(reply, thinkingTicks)
  return new StateGraph(MessagesAnnotation)
    .addNode('talk', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode('tools', new ToolNode(tools))
    .addEdge('__start__', 'talk')
    .addConditionalEdges('talk', ({ messages }) => {
      const last = messages.at(-1)
      return AIMessage.isInstance(last) && (last.tool_calls ?? []).length > 0 ? 'tools' : '__end__'
    })
    .addEdge('tools', 'talk')
    .compile()
}

/** A loop without a framework, which yields what an agent's stream has. */
function plainLoop(tools: Tools): StreamingAgent {
  let made = 0
  return {
    async stream({ messages }: { messages: BaseMessage[] }, { signal }: { signal: AbortSignal }) {
      return (async function* () {
        const history = [...messages]
        for (;;) {
          signal.throwIfAborted()
          const { text, calls } = reply(history)
          const id = `message_${(made += 1)}`
          for (const word of text.split(/(?<=\s)/)) {
            await setImmediate()
            signal.throwIfAborted()
            yield ['messages', [new AIMessage({ id, content: word }), {}]]
          }
          const tool_calls = calls.map((name) => ({ name, args: {}, id: `${name}_${made}` }))
          const message = new AIMessage({ id, content: text, tool_calls })
          history.push(message)
          yield ['updates', { model: { messages: [message] } }]
          if (tool_calls.length === 0) return
          for (const call of tool_calls) {
            const found = tools.find(({ name }) => name === call.name)
            const result: unknown = await found?.invoke({ ...call, type: 'tool_call' })
            if (!ToolMessage.isInstance(result)) throw new Error('a tool returned no message')
            history.push(result)
            yield ['updates', { tools: { messages: [result] } }]
          }
        }
      })()
    },
  }
}

let served: ServedGraphs
beforeAll(async () => {
  served = await ServedGraphs.start()
})
afterAll(() => served.close())

const AGENTS: readonly (readonly [string, (tools: Tools) => StreamingAgent])[] = [
  ['a plain loop', plainLoop],
  ['createAgent', (tools) => createAgent({ model: new TickingModel(reply), tools })],
  ['a StateGraph', (tools) => stateGraph(tools)],
  ['a graph that is served', (tools) => served.serve(stateGraph(tools, NETWORK_TICKS))],
]

/** Asks, speaks into the answer after so many turns of the event loop, and reads the second answer. */
async function bargeIn(agent: StreamingAgent, ticks: number, heardWords: number): Promise<VoiceConversation> {
  const conversation = new VoiceConversation()
  let said = ''
  async function* user(): AsyncGenerator<VoiceEvent> {
    yield voiceEvent({ type: 'stt_output', transcript: 'Book a table, please.' })
    for (let tick = 0; tick < ticks; tick += 1) await setImmediate()
    yield voiceEvent({ type: 'stt_output', transcript: 'And is it done?' })
  }
  let turn = 0
  for await (const event of agentStage(user(), { agent, conversation })) {
    if (event.type === 'agent_chunk') said += event.text
    // As `speakStage` does.
    if (event.type === 'stt_output' && (turn += 1) === 2)
      conversation.heard(said.split(' ').slice(0, heardWords).join(' '), 1)
  }
  return conversation
}

/** Turns of the event loop that an answer takes. */
async function ticksOf(agent: StreamingAgent): Promise<number> {
  let ticks = 0
  const over = new AbortController()
  const counting = (async () => {
    for (; !over.signal.aborted; ticks += 1) await setImmediate()
  })()
  const said: VoiceEvent[] = [voiceEvent({ type: 'stt_output', transcript: 'Book a table, please.' })]
  for await (const event of agentStage(ReadableStream.from(said), { agent, conversation: new VoiceConversation() }))
    expect(event.type).not.toBe('error')
  over.abort()
  await counting
  return ticks
}

/** Each tool ran once, and its result is shown once. */
function expectEachOnce(
  messages: readonly BaseMessage[],
  { point, ran }: { readonly point: number; readonly ran: ReturnType<typeof booking>['ran'] },
): void {
  const results = messages.filter((message) => ToolMessage.isInstance(message))
  const shown = results.map(({ name, text }) => `${name}: ${text}`).toSorted()
  expect({ point, ran, shown }).toEqual({
    point,
    ran: { book: 1, pay: 1 },
    shown: ['book: Booked. Table 1.', 'pay: Paid.'],
  })
  // Each call is followed by its result: models refuse another history.
  const calls = messages.flatMap((message) => (AIMessage.isInstance(message) ? (message.tool_calls ?? []) : []))
  expect(new Set(calls.map(({ id }) => id))).toEqual(new Set(results.map(({ tool_call_id: id }) => id)))
  expect(calls).toHaveLength(results.length)
}

describe.each(AGENTS)('%s', (_name, make) => {
  test(`runs each tool once at ${POINTS} barge-ins, and its result is in the history once`, async () => {
    const ticks = await ticksOf(make(booking().tools))
    for (let point = 0; point < POINTS; point += 1) {
      const { ran, tools } = booking()
      const { messages } = await bargeIn(make(tools), Math.round((point * ticks) / POINTS), point % 12)
      expectEachOnce(messages, { point, ran })
      expect(messages.at(-1)?.text).toBe('It is done. You have table one, and it is paid.')
    }
  })
})

test(`createAgent with a checkpointer runs each tool once at ${POINTS} barge-ins, and its result is in the thread once`, async () => {
  const make = (tools: Tools) => createAgent({ model: new TickingModel(reply), tools, checkpointer: memorySaver() })
  const ticks = await ticksOf(createAgent({ model: new TickingModel(reply), tools: booking().tools }))
  for (let point = 0; point < POINTS; point += 1) {
    const { ran, tools } = booking()
    const agent = make(tools)
    const config = { configurable: { thread_id: `thread-${point}` } }
    async function* user(): AsyncGenerator<VoiceEvent> {
      yield voiceEvent({ type: 'stt_output', transcript: 'Book a table, please.' })
      for (let tick = 0; tick < Math.round((point * ticks) / POINTS); tick += 1) await setImmediate()
      yield voiceEvent({ type: 'stt_output', transcript: 'And is it done?' })
    }
    for await (const event of agentStage(user(), { agent, config })) expect([point, event.type]).not.toContain('error')
    const { values } = await agent.graph.getState(config)
    const messages: readonly BaseMessage[] = values.messages
    expectEachOnce(messages, { point, ran })
    expect(messages.at(-1)?.text).toBe('It is done. You have table one, and it is paid.')
  }
})

test('a tool that takes longer than toolSeconds is told to the model as unknown, and a late result takes its place', async () => {
  const { promise: late, resolve: finish } = Promise.withResolvers<string>()
  const slow = tool(() => late, { name: 'book', description: 'd', schema: { type: 'object', properties: {} } })
  const shown: string[][] = []
  const model = new TickingModel((messages) => {
    shown.push(messages.map(({ type, text }) => `${type}: ${text}`))
    return shown.length === 1 ? { text: 'One moment.', calls: ['book'] } : { text: 'I will look.', calls: [] }
  })
  const conversation = new VoiceConversation()
  async function* user(): AsyncGenerator<VoiceEvent> {
    yield voiceEvent({ type: 'stt_output', transcript: 'Book it.' })
    await expect.poll(() => conversation.messages).toHaveLength(2)
    yield voiceEvent({ type: 'stt_output', transcript: 'Hello?' })
  }
  const agent = createAgent({ model, tools: [slow] })
  const results: string[] = []
  for await (const event of agentStage(user(), { agent, conversation, toolSeconds: 0.05 })) {
    expect(event.type).not.toBe('error')
    if (event.type === 'tool_result') results.push(event.result)
  }
  expect(results).toEqual([UNKNOWN_RESULT])
  expect(shown[1]).toEqual(['human: Book it.', 'ai: One moment.', `tool: ${UNKNOWN_RESULT}`, 'human: Hello?'])
  finish('Booked.')
  conversation.addTo(1, [new ToolMessage({ content: 'Booked.', tool_call_id: 'book_1', name: 'book' })])
  expect(conversation.messages.map(({ text }) => text)).toContain('Booked.')
  expect(conversation.messages.map(({ text }) => text)).not.toContain(UNKNOWN_RESULT)
})

test('an agent that fails after a tool has worked keeps the call and its result', async () => {
  const { ran, tools } = booking()
  const model = new TickingModel((messages) => {
    if (messages.some((message) => ToolMessage.isInstance(message))) throw new Error('the model is down')
    return { text: 'I book.', calls: ['book'] }
  })
  const conversation = new VoiceConversation()
  const said: VoiceEvent[] = [voiceEvent({ type: 'stt_output', transcript: 'Book it.' })]
  const events: string[] = []
  const agent = createAgent({ model, tools })
  for await (const { type } of agentStage(ReadableStream.from(said), { agent, conversation })) events.push(type)
  expect(events).toContain('error')
  expect(ran.book).toBe(1)
  expect(conversation.messages.map(({ text }) => text)).toEqual(['Book it.', 'I book.', 'Booked. Table 1.'])
})

test('toolSeconds that no timer can wait for is refused', () => {
  const agent = plainLoop(booking().tools)
  const stage = (toolSeconds: number): unknown => agentStage(ReadableStream.from([]), { agent, toolSeconds })
  expect(() => stage(2_147_484)).toThrow('`toolSeconds` must be a number of seconds greater than 0, at most 2147483')
  expect(() => stage(2_147_483)).not.toThrow()
})
