import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { createAgent, tool } from 'langchain'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { SpeechToolkit } from '../src/index.ts'
import { toolsOf } from './support/calls.ts'
import { startUpstream } from './support/upstream.ts'

const TALK = 'https://example.com/talk.wav'
const OTHER = 'https://example.com/other.wav'

/** What a tool answers in an agent whose model transcribes these URLs one after the other. */
async function answersOf(toolkit: SpeechToolkit, asked: string, ...urls: string[]): Promise<string[]> {
  const model = fakeModel()
  for (const [index, audio] of urls.entries())
    model.respondWithTools([{ name: 'transcribe', args: { audio }, id: `call_${index}` }])
  const agent = createAgent({ model: model.respond(new AIMessage('Done.')), tools: [...toolkit.tools, weather] })
  const { messages } = await agent.invoke({ messages: [new HumanMessage(asked)] })
  return messages.filter((message) => ToolMessage.isInstance(message)).map(({ text }) => text)
}

const weather = tool(({ city }) => `Rain in ${city}`, {
  name: 'weather',
  description: 'Tells the weather.',
  schema: z.object({ city: z.string() }),
})

test("with 'from-user', an agent transcribes the addresses of the user's messages only", async () => {
  const { client, requests } = await startUpstream()
  const toolkit = toolsOf({ client, allowUrls: 'from-user' })
  const [theirs, another] = await answersOf(toolkit, `Please transcribe ${TALK}.`, TALK, OTHER)
  expect(theirs).toContain('hello there')
  expect(another).toBe('Only URLs that the user wrote are accepted here. Ask the user for the address.')
  expect(requests).toHaveLength(1)
})

test.each([
  ['passes its config on', true],
  ['does not pass its config on', false],
])(
  "with 'from-user', an address that one agent writes to another is not the user's: a tool that %s",
  async (_, passes) => {
    const { client, requests } = await startUpstream()
    const toolkit = toolsOf({ client, allowUrls: 'from-user' })
    let inner: string[] = []
    const delegate = tool(
      async ({ task }, config) => {
        const model = fakeModel()
          .respondWithTools([{ name: 'transcribe', args: { audio: OTHER }, id: 'inner' }])
          .respond(new AIMessage('Done.'))
        const agent = createAgent({ model, tools: toolkit.tools })
        const { messages } = await agent.invoke({ messages: [new HumanMessage(task)] }, passes ? config : {})
        inner = messages.filter((message) => ToolMessage.isInstance(message)).map(({ text }) => text)
        return 'done'
      },
      { name: 'delegate', description: 'Delegates.', schema: z.object({ task: z.string() }) },
    )
    const model = fakeModel()
      .respondWithTools([{ name: 'delegate', args: { task: `Transcribe ${OTHER}` }, id: 'outer' }])
      .respond(new AIMessage('Done.'))
    await createAgent({ model, tools: [delegate] }).invoke({ messages: [new HumanMessage('Help me.')] })
    expect(inner).toEqual(['Only URLs that the user wrote are accepted here. Ask the user for the address.'])
    expect(requests).toHaveLength(0)
  },
)

test('hosts are named to the model, and other hosts are refused', async () => {
  const { client } = await startUpstream()
  const toolkit = toolsOf({ client, urlHosts: ['example.com'] })
  expect(toolkit.transcribe.description).toContain('a public https URL of example.com')
  const [allowed, refused] = await answersOf(toolkit, 'Transcribe.', TALK, 'https://example.org/talk.wav')
  expect(allowed).toContain('hello there')
  expect(refused).toBe('Only URLs of example.com are accepted here.')
})
