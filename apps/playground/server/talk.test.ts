import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { createAgent, tool } from 'langchain'
import { expect, test } from 'vitest'
import { CLOCK, script, ScriptedModel } from './talk.ts'

const answerTo = (text: string): object => script([new HumanMessage(text)])

test.each(['what time is it', 'Look at the CLOCK'])('the script asks the tool for the time: %s', (text) => {
  expect(answerTo(text)).toEqual({ tool: CLOCK })
})

test('the script tells what the tool has answered', () => {
  const messages = [new HumanMessage('what time is it'), new ToolMessage({ content: '7:45 AM', tool_call_id: 'a' })]
  expect(script(messages)).toEqual({ text: 'It is 7:45 AM.' })
})

test.each([
  ['tell me a story', /^Once there was .{300}/],
  ['stop please', /^All right\.$/],
  ['sometimes it rains', /^I heard: sometimes it rains\. Ask me for the time/],
])('the script answers "%s"', (text, answer) => {
  expect(answerTo(text)).toEqual({ text: expect.stringMatching(answer) })
})

test('a scripted model runs the tools of an agent, and writes its answer in pieces', async () => {
  const clock = tool(() => 'noon', {
    name: CLOCK,
    description: 'The time.',
    schema: { type: 'object', properties: {} },
  })
  const agent = createAgent({ model: new ScriptedModel(script), tools: [clock] })
  const pieces: string[] = []
  const stream = await agent.stream({ messages: ['what time is it'] }, { streamMode: 'messages' })
  for await (const [message] of stream) if (AIMessage.isInstance(message)) pieces.push(message.text)
  expect(pieces.filter((piece) => piece !== '')).toEqual(['It ', 'is ', 'noon.'])
})

test('a scripted model answers as a whole too, and ends with its signal', async () => {
  const model = new ScriptedModel(() => ({ text: 'two words' }))
  expect((await model.invoke('a')).text).toBe('two words')
  const stopped = async (): Promise<void> => {
    const ended = new AbortController()
    for await (const { text } of await model.stream('a', { signal: ended.signal })) {
      expect(text).toBe('two ')
      ended.abort()
    }
  }
  await expect(stopped()).rejects.toThrow(/abort/i)
})
