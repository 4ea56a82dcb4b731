import { expect, test } from 'vitest'
import { RunUses } from './budget.ts'

test('calls that name no run share one use', () => {
  const uses = new RunUses()
  uses.of(undefined).characters += 3
  expect([uses.of([]).characters, uses.of('').characters, uses.of('other').characters]).toEqual([3, 3, 0])
})

test('all names of a run lead to one use, and names that turn out to be of one run add up', () => {
  const uses = new RunUses()
  const [signal, message, other] = [{}, 'message', {}]
  uses.of([signal]).characters += 1
  uses.of([other, message]).characters += 2
  expect(uses.of([signal, message]).characters).toBe(3)
  uses.of(signal).audioSeconds += 4
  expect(uses.of(message)).toEqual({ characters: 3, audioSeconds: 4 })
})

test('ten thousand runs are remembered by id, and the oldest is forgotten first', () => {
  const uses = new RunUses()
  for (let run = 0; run <= 10_000; run += 1) uses.of(`${run}`).characters += 1
  expect([uses.of('10000').characters, uses.of('1').characters]).toEqual([1, 1])
  expect(uses.of('0').characters).toBe(0)
})
