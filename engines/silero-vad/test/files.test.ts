import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { sileroVadFile } from '@svc-audio/silero-vad'
import { InferenceSession, Tensor } from 'onnxruntime-web'
import { expect, test } from 'vitest'

test('the graph is the published file', async () => {
  expect(
    createHash('sha256')
      .update(await readFile(sileroVadFile))
      .digest('hex'),
  ).toBe('7ed98ddbad84ccac4cd0aeb3099049280713df825c610a8ed34543318f1b2c49')
})

test('the graph finds no speech in silence', async () => {
  const session = await InferenceSession.create(new Uint8Array(await readFile(sileroVadFile)))
  const { output } = await session.run({
    input: new Tensor('float32', new Float32Array(576), [1, 576]),
    state: new Tensor('float32', new Float32Array(256), [2, 1, 128]),
    sr: new Tensor('int64', BigInt64Array.of(16_000n), []),
  })
  expect(Number(output?.data[0])).toBeLessThan(0.1)
})
