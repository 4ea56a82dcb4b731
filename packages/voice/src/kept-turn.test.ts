import { describe, expect, test } from 'vitest'
import { INTERRUPTED, keptAfterBargeIn, type TurnMessage, UNKNOWN_RESULT } from './kept-turn.ts'

/** A message as text, and how the rule reads it. */
interface Message {
  readonly is: string
  readonly read: TurnMessage
}

const agent = (spoken: string, ...calls: readonly string[]): Message => ({
  is: [spoken, ...calls].join(' → '),
  read: { role: 'agent', spoken, calls: calls.map((id) => ({ id, name: id })) },
})
const result = (callId: string): Message => ({ is: `result ${callId}`, read: { role: 'tool', callId } })
const other: Message = { is: 'a summary', read: { role: 'other' } }

/** What stays, in words. */
function kept(messages: readonly Message[], heard: string | undefined): string[] {
  return keptAfterBargeIn(messages, ({ read }) => read, heard).map((part) => {
    if (part.type === 'said') return part.text
    if (part.type === 'result') return `no result ${part.call.id}: ${part.text}`
    return part.text === undefined ? part.message.is : `cut: ${part.text}`
  })
}

const BOOKING = [agent('Let me book a table.', 'book'), result('book'), agent('It is booked. Table one.')]

describe('a turn that was interrupted', () => {
  test('keeps a call with its result, whatever was heard', () => {
    const pair = [`cut: `, 'result book']
    expect(kept(BOOKING, '')).toEqual(pair)
    expect(kept(BOOKING, 'Let me')).toEqual([`cut: Let me ${INTERRUPTED}`, 'result book'])
    expect(kept(BOOKING, 'Let me book a table.')).toEqual(['Let me book a table. → book', 'result book'])
    expect(kept(BOOKING, 'Let me book a table. It is')).toEqual([
      'Let me book a table. → book',
      'result book',
      `cut: It is ${INTERRUPTED}`,
    ])
    expect(kept(BOOKING, 'Let me book a table. It is booked. Table one.')).toEqual(BOOKING.map(({ is }) => is))
  })

  test('gets a result that says that it is unknown for each call without one, behind the results that are there', () => {
    expect(kept([agent('', 'book', 'pay'), result('pay')], '')).toEqual([
      ' → book → pay',
      `no result book: ${UNKNOWN_RESULT}`,
      'result pay',
    ])
  })

  test('loses a result without its call, and a second result of a call', () => {
    expect(kept([result('x'), agent('', 'book'), result('book'), result('book')], '')).toEqual([
      ' → book',
      'result book',
    ])
  })

  test('keeps what was heard of a message that is not complete', () => {
    expect(kept([], 'It is wonder')).toEqual([`It is wonder ${INTERRUPTED}`])
    expect(kept(BOOKING.slice(0, 2), 'Let me book a table. It is')).toEqual([
      'Let me book a table. → book',
      'result book',
      `It is ${INTERRUPTED}`,
    ])
  })

  test('keeps messages that were not spoken, and those that are neither the agent’s nor a tool’s', () => {
    expect(kept([agent('A plan for nobody.'), other, agent('Good day. Sir.')], 'Good day.')).toEqual([
      'A plan for nobody.',
      'a summary',
      `cut: Good day. ${INTERRUPTED}`,
    ])
  })

  test('compares words, not marks, spaces or case', () => {
    expect(kept([agent('Good  day — sir!')], 'good day, sir')).toEqual(['Good  day — sir!'])
  })
})

test('a turn that failed keeps its text, and its calls get results', () => {
  expect(kept([agent('Let me see.', 'look')], undefined)).toEqual([
    'Let me see. → look',
    `no result look: ${UNKNOWN_RESULT}`,
  ])
})
