import { expect, test } from 'vitest'
import { ManualClock } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import { DatabaseUnavailableError, SchemaError } from '../domain/errors.ts'
import { awaitStores } from './await-stores.ts'

const log = { error: () => undefined, warn: () => undefined, info: () => undefined }
const unavailable = (code: string) =>
  new DatabaseUnavailableError({ cause: Object.assign(new Error('refused'), { code }) })

test('a part of the start is repeated until the database answers', async () => {
  const clock = new ManualClock()
  let left = 3
  const started = awaitStores({ clock, log }, async () => {
    left -= 1
    if (left > 0) throw unavailable('ECONNREFUSED')
    return 'started'
  })
  for (let second = 0; second < 10; second += 1) await clock.pass(1000)
  expect(await started).toBe('started')
  expect(clock.timers).toBe(0)
})

test.each([unavailable('28P01'), unavailable('3D000'), new SchemaError('run migrate')])(
  'a start that no wait mends fails at once: %s',
  async (error) => {
    const fail = async (): Promise<never> => {
      throw error
    }
    await expect(awaitStores({ clock: new ManualClock(), log }, fail)).rejects.toBe(error)
  },
)
