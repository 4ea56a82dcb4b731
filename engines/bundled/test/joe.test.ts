import { speechContract } from '@svc-audio/engine-ports/contract'
import { describe, expect, test } from 'vitest'
import { createJoeEngine } from '../src/joe/joe-engine.ts'

describe('joe keeps the contract of speech', () => {
  test.each(speechContract)('$name', async ({ run }) => {
    const subject = { create: async () => createJoeEngine({ workers: 1 }), text: 'One two. Three four.', unspeakable: '… !' }
    await expect(run(subject)).resolves.toBeUndefined()
  })
})
