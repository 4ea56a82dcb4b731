import { expect, test } from 'vitest'
import { newId } from './ids.ts'

test('an id names its kind and has 32 hexadecimal digits', () => {
  expect(newId('task')).toMatch(/^task_[\da-f]{32}$/)
})

test('ids stand in the order of their making, to the millisecond', async () => {
  const earlier = newId('task')
  await new Promise((resolve) => setTimeout(resolve, 3))
  expect(newId('task') > earlier).toBe(true)
})

test('the last 20 digits are random: ids of one millisecond share none of them', () => {
  const ids = Array.from({ length: 1000 }, () => newId('task').slice(-20))
  expect(new Set(ids).size).toBe(1000)
})
