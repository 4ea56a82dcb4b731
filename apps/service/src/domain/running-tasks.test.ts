import { expect, test } from 'vitest'
import { RunningTasks } from './running-tasks.ts'

test('the end of the service waits for the tasks that end', async () => {
  const tasks = new RunningTasks()
  const { promise, resolve } = Promise.withResolvers<void>()
  tasks.holdEnd(promise)
  const events: string[] = []
  const ended = tasks.ended().then(() => events.push('ended'))
  await Promise.resolve()
  events.push('stored')
  resolve()
  await ended
  expect(events).toEqual(['stored', 'ended'])
})
