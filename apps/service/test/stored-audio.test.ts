import { randomUUID } from 'node:crypto'
import { storedAudio } from '@svc-audio/kit/engine-fixtures/stored-audio.ts'
import { expect, test } from 'vitest'

test('audio that five tests ask for at once is whole for each, and for the next it is not made again', async () => {
  const parts = ['test', randomUUID()]
  const make = async (): Promise<Buffer> => Buffer.from('audio')
  const all = await Promise.all(Array.from({ length: 5 }, () => storedAudio(parts, make)))
  expect(all.map(String)).toEqual(['audio', 'audio', 'audio', 'audio', 'audio'])
  const later = storedAudio(parts, () => Promise.reject(new Error('made again')))
  expect(String(await later)).toBe('audio')
})
