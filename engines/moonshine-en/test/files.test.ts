import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { moonshineFiles } from '@svc-audio/moonshine-en'
import { InferenceSession, Tensor } from 'onnxruntime-web'
import { expect, test } from 'vitest'

const { encoder, decoder, tokens } = moonshineFiles

test.each([
  [encoder, '94e90a4654fc45cdfedb77c4c08e1739f48862998e58fada384b25118134f221'],
  [decoder, 'cf524c4862d36e9e5ab032eddc73637efd822d70e868ac575cf1a46e1e4708a0'],
  [tokens, '6884b35fd6377d4c4d32336a0bc152f36b64d1e45b6503683cdc238250a8472d'],
])('%s is the published file', async (path, digest) => {
  expect(
    createHash('sha256')
      .update(await readFile(path))
      .digest('hex'),
  ).toBe(digest)
})

test('the graph of the encoder describes a second of sound', async () => {
  const session = await InferenceSession.create(new Uint8Array(await readFile(encoder)))
  const { last_hidden_state: sound } = await session.run({
    input_values: new Tensor('float32', new Float32Array(16_000), [1, 16_000]),
    attention_mask: new Tensor('int64', new BigInt64Array(16_000).fill(1n), [1, 16_000]),
  })
  expect(sound?.dims).toEqual([1, 40, 288])
})
