import { expect, test } from 'vitest'
import { outputJson } from '../nodes/SvcAudio/operations/item-files.ts'

test('an item has names in camel case, ISO dates, and the time when its URL expires', () => {
  const url = 'https://audio.example/a.wav?expires=1767225600'
  const task = { id: 't', task_id: 't', created_at: 0, updated_at: 1.5, response_format: 'wav', filename: 'a.wav', url }
  expect(outputJson(task)).toEqual({
    id: 't',
    taskId: 't',
    createdAt: '1970-01-01T00:00:00.000Z',
    updatedAt: '1970-01-01T00:00:01.500Z',
    responseFormat: 'wav',
    fileName: 'a.wav',
    url,
    expiresAt: '2026-01-01T00:00:00.000Z',
  })
})
