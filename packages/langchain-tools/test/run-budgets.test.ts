import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { tool } from '@langchain/core/tools'
import { Annotation, Command, interrupt, MemorySaver, StateGraph } from '@langchain/langgraph'
import { createAgent } from 'langchain'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type SpeakArtifact, type SpeechToolkit } from '../src/index.ts'
import { spokenAnswerMiddleware } from '../src/middleware/index.ts'
import { toolsOf } from './support/calls.ts'
import { startUpstream } from './support/upstream.ts'

/** A model that calls these tools, each array in one step. */
function calls(...steps: { name: string; args: Record<string, unknown> }[][]): ReturnType<typeof fakeModel> {
  const model = fakeModel()
  for (const [step, tools] of steps.entries()) {
    // Not respondWithTools: it repeats the texts of all messages, which doubles with each step.
    const tool_calls = tools.map(({ name, args }, index) => ({ name, args, id: `${step}-${index}` }))
    model.respond(new AIMessage({ content: '', tool_calls }))
  }
  return model.respond(new AIMessage('Done.'))
}

const says = (text = 'Ten chars.'): { name: string; args: Record<string, unknown> } => ({
  name: 'speak',
  args: { text },
})

/** A sub-agent as a tool: it speaks ten characters, and answers with what its tool said. */
// oxlint-disable-next-line typescript/explicit-function-return-type -- LangChain infers it
function delegate({ speak }: Pick<SpeechToolkit, 'speak'>) {
  return tool(
    async () => {
      const agent = createAgent({ model: calls([says()]), tools: [speak] })
      const { messages } = await agent.invoke({ messages: [new HumanMessage('Say it.')] })
      return results(messages).join()
    },
    { name: 'delegate', description: 'Delegates.', schema: z.object({}) },
  )
}

function results(messages: readonly BaseMessage[]): string[] {
  return messages.filter((message) => ToolMessage.isInstance(message)).map(({ text }) => text)
}

const spoken = (texts: readonly string[]): number => texts.filter((text) => text.startsWith('Spoken')).length

describe('the budget of a run', () => {
  test('a prompt that orders fifty delegations stops at the limit', async () => {
    const { client, requests } = await startUpstream()
    const toolkit = toolsOf({ client, maxCharactersPerRun: 100 })
    const orders = Array.from({ length: 50 }, () => ({ name: 'delegate', args: {} }))
    const tools = [delegate(toolkit)]
    const run = async (): Promise<string[]> => {
      // Twenty in parallel, and thirty one after the other.
      const steps = [orders.slice(0, 20), ...orders.slice(20).map((order) => [order])]
      const agent = createAgent({ model: calls(...steps), tools })
      const { messages } = await agent.invoke({ messages: ['Delegate fifty times.'] }, { recursionLimit: 200 })
      return results(messages)
    }
    const first = await run()
    expect([first.length, spoken(first), requests.length]).toEqual([50, 10, 10])
    expect(first.at(-1)).toMatch(/^In this run you may use 100 characters of speech, and none are left/)
    // The next run of the same process begins at zero.
    expect(spoken(await run())).toBe(10)
  })

  test('an agent and its sub-agents share one budget, before and after each other', async () => {
    const { client } = await startUpstream()
    const toolkit = toolsOf({ client, maxCharactersPerRun: 20 })
    const order = { name: 'delegate', args: {} }
    const model = calls([order], [says()], [order], [says()])
    const agent = createAgent({ model, tools: [toolkit.speak, delegate(toolkit)] })
    const { messages } = await agent.invoke({ messages: ['Go.'] })
    expect(results(messages).map((text) => text.startsWith('Spoken'))).toEqual([true, true, false, false])
  })

  test('nodes, agents and parallel branches of a graph of the application share one budget, in each run', async () => {
    const { client } = await startUpstream()
    const { speak } = toolsOf({ client, maxCharactersPerRun: 30 })
    const State = Annotation.Root({
      said: Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
    })
    const direct = async (): Promise<{ said: string[] }> => ({
      said: [await speak.invoke({ text: 'Ten chars.' }).catch(String)],
    })
    const agent = async (): Promise<{ said: string[] }> => {
      const { messages } = await createAgent({ model: calls([says(), says()]), tools: [speak] }).invoke({
        messages: ['Go.'],
      })
      return { said: results(messages) }
    }
    const graph = new StateGraph(State)
      .addNode('one', direct)
      .addNode('two', direct)
      .addNode('agent', agent)
      .addEdge('__start__', 'one')
      .addEdge('__start__', 'two')
      .addEdge('one', 'agent')
      .addEdge('two', 'agent')
      .compile({ checkpointer: new MemorySaver() })
    const config = { configurable: { thread_id: 'one' } }
    const { said } = await graph.invoke({}, config)
    expect([said.length, spoken(said)]).toEqual([4, 3])
    const { said: both } = await graph.invoke({}, config)
    expect([both.length, spoken(both)]).toEqual([8, 6])
  })

  test('threads have budgets of their own, also for equal ids of messages', async () => {
    const { client } = await startUpstream()
    const { speak } = toolsOf({ client, maxCharactersPerRun: 10 })
    const run = async (thread_id: string): Promise<number> => {
      const agent = createAgent({ model: calls([says()]), tools: [speak], checkpointer: new MemorySaver() })
      const messages = [new HumanMessage({ id: '1', content: 'Go.' })]
      return spoken(results((await agent.invoke({ messages }, { configurable: { thread_id } })).messages))
    }
    expect([await run('one'), await run('two'), await run('one')]).toEqual([1, 1, 0])
  })

  test('the budget of a run outlives an interrupt', async () => {
    const { client } = await startUpstream()
    const toolkit = toolsOf({ client, maxCharactersPerRun: 20 })
    const approve = tool(() => String(interrupt('Go on?')), { name: 'approve', schema: z.object({}) })
    const order = { name: 'delegate', args: {} }
    const agent = createAgent({
      model: calls([says()], [{ name: 'approve', args: {} }], [order], [says()]),
      tools: [toolkit.speak, approve, delegate(toolkit)],
      checkpointer: new MemorySaver(),
    })
    const config = { configurable: { thread_id: 'one' } }
    await agent.invoke({ messages: [new HumanMessage('Go.')] }, config)
    const { messages } = await agent.invoke(new Command({ resume: 'yes' }), config)
    const [first, approved, delegated, last] = results(messages)
    expect([first, delegated].map((text) => text?.startsWith('Spoken'))).toEqual([true, true])
    expect([approved, last]).toEqual(['yes', expect.stringContaining('none are left')])
  })

  test('the spoken answer counts in the run of its agent', async () => {
    const { client } = await startUpstream()
    const toolkit = toolsOf({ client, maxCharactersPerRun: 12 })
    const agent = createAgent({
      model: calls([says()]),
      tools: [toolkit.speak],
      middleware: [spokenAnswerMiddleware(toolkit)],
    })
    const { spokenAnswer } = await agent.invoke({ messages: ['Go.'] })
    expect(spokenAnswer).toEqual([])
  })

  test('the artifact says what the call and its run have spent', async () => {
    const { client } = await startUpstream()
    const toolkit = toolsOf({ client })
    const agent = createAgent({ model: calls([says(), says('Hi.')]), tools: [toolkit.speak] })
    const { messages } = await agent.invoke({ messages: ['Go.'] })
    const spent = messages.flatMap((message) =>
      ToolMessage.isInstance(message) ? [message.artifact as SpeakArtifact] : [],
    )
    expect(spent.map((artifact) => artifact.spent)).toEqual([
      { unit: 'characters', call: 10, run: expect.any(Number) },
      { unit: 'characters', call: 3, run: expect.any(Number) },
    ])
    expect(Math.max(...spent.map((artifact) => artifact.spent.run))).toBe(13)
  })
})
