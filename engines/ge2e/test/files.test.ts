import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { ge2eFile } from '@svc-audio/ge2e'
import { InferenceSession, Tensor } from 'onnxruntime-web'
import { expect, test } from 'vitest'

test('the graph is the one that was exported', async () => {
  expect(
    createHash('sha256')
      .update(await readFile(ge2eFile))
      .digest('hex'),
  ).toBe('56927c7944d7e439b88fe9450cde7e8c4b3c6ac40c2b5e6218c1590696ae9187')
})

test('the graph computes what the original computes in PyTorch', async () => {
  const session = await InferenceSession.create(new Uint8Array(await readFile(ge2eFile)))
  const mels = Float32Array.from(
    { length: 160 * 40 },
    (_, at) => (1 + Math.sin(0.37 + Math.floor(at / 40) * 0.011 * (at % 40))) ** 2 * 0.02,
  )
  const { embedding } = await session.run({ mels: new Tensor('float32', mels, [1, 160, 40]) })
  const numbers = Array.from(embedding?.data ?? [], Number)
  expect(numbers).toHaveLength(256)
  expect(Math.hypot(...numbers)).toBeCloseTo(1, 5)
  expect([189, 11, 15].map((at) => numbers[at])).toEqual([
    expect.closeTo(0.2371, 3),
    expect.closeTo(0.2246, 3),
    expect.closeTo(0.1797, 3),
  ])
})
