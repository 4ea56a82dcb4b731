import { recognitionContract, speechContract } from '@svc-audio/engine-ports/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { spokenPcm } from './speech.ts'
import { engines } from './engines.ts'
import { type ScriptedUpstream, startUpstream } from '@svc-audio/kit/engine-fixtures/openai-upstream.ts'

let upstream: ScriptedUpstream
let speech: Uint8Array
beforeAll(async () => {
  upstream = await startUpstream()
  speech = await spokenPcm()
})
afterAll(() => upstream.close())

describe.each(['wav', 'pcm'] as const)('speech of an upstream as %s keeps the contract', (format) => {
  const create = () => engines(upstream, { speech: { format, voices: undefined } }).speech()
  test.each(speechContract)('$name', ({ run }) =>
    expect(run({ create, text: 'One two. Three four five.', unspeakable: '…' })).resolves.toBeUndefined(),
  )
})

describe('recognition of an upstream keeps the contract', () => {
  const create = () => engines(upstream, {}).recognition()
  test.each(recognitionContract)('$name', ({ run }) =>
    expect(run({ create, speech, says: /sound/ })).resolves.toBeUndefined(),
  )
})
