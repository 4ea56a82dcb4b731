import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages'
import { describe, expect, test } from 'vitest'
import { VoiceConversation } from './conversation.ts'

const said = (text: string): HumanMessage => new HumanMessage(text)
const told = (messages: readonly BaseMessage[]): string[] => messages.map(({ type, text }) => `${type}: ${text}`)

describe('roles alternate', () => {
  test('a user who speaks before anything was answered continues the message', () => {
    const conversation = new VoiceConversation()
    conversation.begin(said('What is the weather'))
    conversation.begin(said('in Paris?'))
    expect(told(conversation.messages)).toEqual(['human: What is the weather in Paris?'])
    expect(conversation.turns).toBe(2)
  })

  test('an answer of which nothing was heard is not in the history', () => {
    const conversation = new VoiceConversation()
    conversation.begin(said('Hello'))
    conversation.add(new AIMessage('Good day'))
    conversation.heard('', 1)
    conversation.begin(said('there'))
    expect(told(conversation.messages)).toEqual(['human: Hello there'])
    conversation.add(new AIMessage('Yes, and more'))
    conversation.heard('Yes', 2)
    expect(told(conversation.messages)).toEqual(['human: Hello there', 'ai: Yes [interrupted]'])
  })

  test('blocks of a message are kept when it is continued', () => {
    const image = { type: 'image_url', image_url: 'data:' }
    const conversation = new VoiceConversation([new HumanMessage({ content: [image] })])
    conversation.begin(said('What is this?'))
    expect(conversation.messages).toHaveLength(1)
    expect(conversation.messages[0]?.content).toEqual([image, { type: 'text', text: 'What is this?' }])
  })

  test('what was heard of an earlier turn, after the message was continued, changes nothing', () => {
    const conversation = new VoiceConversation()
    conversation.begin(said('One'))
    conversation.begin(said('two'))
    conversation.heard('late', 1)
    expect(told(conversation.messages)).toEqual(['human: One two'])
  })
})

describe('a history that the agent has written again', () => {
  const summarized = (): VoiceConversation => {
    const conversation = new VoiceConversation([said('Old'), new AIMessage('Older')])
    conversation.begin(said('New'))
    conversation.replace([new SystemMessage('A summary.'), said('New')])
    return conversation
  }

  test('is taken over, and the answer is added to it', () => {
    const conversation = summarized()
    conversation.add(new AIMessage('Answer'))
    expect(told(conversation.messages)).toEqual(['system: A summary.', 'human: New', 'ai: Answer'])
  })

  test('is cut to what was heard in the turn of the summary', () => {
    const conversation = summarized()
    conversation.add(new AIMessage('A long answer'))
    conversation.heard('A long', 1)
    expect(told(conversation.messages)).toEqual(['system: A summary.', 'human: New', 'ai: A long [interrupted]'])
  })

  test('without a message of the user is not taken over: the question would be lost', () => {
    const conversation = new VoiceConversation()
    conversation.begin(said('New'))
    conversation.replace([new SystemMessage('A summary.')])
    expect(told(conversation.messages)).toEqual(['human: New'])
  })

  test('loses the messages that the agent removes, but not the question', () => {
    const old = new HumanMessage({ id: 'a', content: 'Old' })
    const answer = new AIMessage({ id: 'b', content: 'Older' })
    const question = new HumanMessage({ id: 'c', content: 'New' })
    const conversation = new VoiceConversation([old, answer])
    conversation.begin(question)
    conversation.remove(new Set(['a', 'b', 'c']))
    expect(told(conversation.messages)).toEqual(['human: New'])
  })
})

test('an unknown turn changes nothing', () => {
  const conversation = new VoiceConversation([said('Hello'), new ToolMessage({ content: 'x', tool_call_id: 'a' })])
  conversation.heard('Yes', 7)
  expect(conversation.messages).toHaveLength(2)
})

test('an answer is made until it is complete, and heard until its end', () => {
  const conversation = new VoiceConversation()
  expect(conversation.isAnswering).toBe(false)
  conversation.begin(said('Hello'))
  expect(conversation.isAnswering).toBe(true)
  let isHeard = true
  conversation.answered(() => isHeard)
  expect(conversation.isAnswering).toBe(true)
  isHeard = false
  expect(conversation.isAnswering).toBe(false)
})

describe('a turn in which tools have worked', () => {
  const call = (id: string, text: string): AIMessage =>
    new AIMessage({ content: text, tool_calls: [{ id, name: 'book', args: {} }] })
  const result = (id: string): ToolMessage =>
    new ToolMessage({ content: 'Booked. Table 1.', tool_call_id: id, name: 'book' })

  test('keeps call and result after a barge-in, and the next message of the user follows them', () => {
    const conversation = new VoiceConversation()
    conversation.begin(said('Book a table.'))
    conversation.add(call('a', 'Let me *book* it.'), result('a'), new AIMessage('It is **booked**. Table one.'))
    conversation.heard('Let me book it. It is', 1)
    conversation.begin(said('And a cake.'))
    expect(told(conversation.messages)).toEqual([
      'human: Book a table.',
      'ai: Let me *book* it.',
      'tool: Booked. Table 1.',
      'ai: It is [interrupted]',
      'human: And a cake.',
    ])
  })

  test('gets its late result in its place, behind the turn that has begun', () => {
    const conversation = new VoiceConversation()
    const turn = conversation.begin(said('Book a table.'))
    conversation.add(call('a', ''))
    conversation.heard('', turn)
    conversation.begin(said('Hello?'))
    expect(told(conversation.messages)[2]).toMatch(/^tool: The run ended before/)
    conversation.addTo(turn, [result('a')])
    expect(told(conversation.messages)).toEqual([
      'human: Book a table.',
      'ai: ',
      'tool: Booked. Table 1.',
      'human: Hello?',
    ])
  })
})

test('what the agent says by itself stands behind a message for the user, so that roles alternate', () => {
  const conversation = new VoiceConversation()
  conversation.say('Good day.')
  conversation.begin(said('Hello.'))
  expect(told(conversation.messages)).toEqual(['human: [The user says nothing.]', 'ai: Good day.', 'human: Hello.'])
  expect(conversation.turns).toBe(2)
})
