import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { campplusFile } from '@svc-audio/campplus'
import { InferenceSession, Tensor } from 'onnxruntime-web'
import { expect, test } from 'vitest'

test('the graph is the one that was exported', async () => {
  expect(
    createHash('sha256')
      .update(await readFile(campplusFile))
      .digest('hex'),
  ).toBe('d58c8c27d3912131dd58f86672714dc5084fdd8d90296389afb5d35e130f6797')
})

test('the graph computes what the original computes in PyTorch', async () => {
  const session = await InferenceSession.create(new Uint8Array(await readFile(campplusFile)))
  const bands = Float32Array.from(
    { length: 160 * 80 },
    (_, at) => 2 * Math.sin(0.37 + Math.floor(at / 80) * 0.011 * (at % 80)),
  )
  const { voice } = await session.run({ bands: new Tensor('float32', bands, [1, 160, 80]) })
  const numbers = Array.from(voice?.data ?? [], Number)
  expect(numbers).toHaveLength(192)
  expect(Math.hypot(...numbers)).toBeCloseTo(1, 5)
  expect([169, 22, 140].map((at) => numbers[at])).toEqual([
    expect.closeTo(-0.1913, 3),
    expect.closeTo(-0.1825, 3),
    expect.closeTo(0.1781, 3),
  ])
})
