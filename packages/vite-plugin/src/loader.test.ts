import type { DevEnvironment } from 'vite'
import { expect, test } from 'vitest'
import { DevNarrations } from './dev/dev-audio.ts'
import { Loader } from './loader.ts'
import { Sessions } from './sessions.ts'

const OPTIONS = { voice_id: 'rms' }

test('an edit of a file without narrations is not read', async () => {
  const loader = new Loader(OPTIONS, new Sessions(OPTIONS), new DevNarrations())
  const read = (): never => {
    throw new Error('read')
  }
  // It has no session: nothing of it was narrated.
  const environment = { name: 'client' } as DevEnvironment
  expect(await loader.updated(environment, { file: '/a.md', type: 'update', modules: [], read })).toBeUndefined()
})
