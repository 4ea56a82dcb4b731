import { speechContract } from '@svc-audio/engine-ports/contract'
import { describe, expect, test } from 'vitest'
import { BEEPER } from './beep-engine.ts'

const options = { signal: new AbortController().signal, workers: 1 }

describe('the beeper keeps the contract', () => {
  test.each(speechContract)('$name', async ({ run }) => {
    const create = () => BEEPER.create(options)
    await expect(run({ create, text: 'One two. Three four.', unspeakable: '…' })).resolves.toBeUndefined()
  })
})
