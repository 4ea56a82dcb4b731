import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { FRAME_SAMPLES, FRAME_VALUES, joeFiles, NOISE, SYMBOLS } from '@svc-audio/joe-en'
import { InferenceSession, Tensor } from 'onnxruntime-web'
import { expect, test } from 'vitest'

const { plan, sound, words } = joeFiles

test.each([
  [plan, 'b8a02708acefaf5344482f7c6fcef0c0aee55bf4d429db3ae6939181c6473c8e'],
  [sound, '7cc36853cdffaa3293ff5535fae98a6ba87ed92cebf32a2e1e32945a4ca534d9'],
])('%s is the file that the README describes', async (path, digest) => {
  expect(
    createHash('sha256')
      .update(await readFile(path))
      .digest('hex'),
  ).toBe(digest)
})

test('the voice has 151 symbols', () => {
  expect(SYMBOLS).toHaveLength(151)
  expect(SYMBOLS.slice(0, 4)).toEqual(['_', '^', '$', ' '])
})

test('each word has its first pronunciation', async () => {
  const lines = (await readFile(words, 'utf8')).split('\n')
  expect(lines.length).toBeGreaterThan(120_000)
  expect(lines).toContain("don't\tD OW1 N T")
  expect(lines.filter((line) => line.startsWith('read\t'))).toHaveLength(1)
})

test('phonemes become frames of whole lengths, the same each time, and frames become samples', async () => {
  const [lengths, sounds] = [
    await InferenceSession.create(new Uint8Array(await readFile(plan))),
    await InferenceSession.create(new Uint8Array(await readFile(sound))),
  ]
  const ids = BigInt64Array.from(['^', '_', 'h', '_', 'ə', '_', '$'], (symbol) => BigInt(SYMBOLS.indexOf(symbol)))
  const frames = async (stretch: number) =>
    lengths.run({
      input: new Tensor('int64', ids, [1, ids.length]),
      input_lengths: new Tensor('int64', BigInt64Array.of(BigInt(ids.length)), [1]),
      scales: new Tensor('float32', Float32Array.of(NOISE.sound, stretch, NOISE.lengths), [3]),
    })
  const { frames: made = new Tensor('float32', []), durations } = await frames(1)
  const count = Number(made.dims[2])
  expect(made.dims).toEqual([1, FRAME_VALUES, count])
  expect(Array.from(durations?.data ?? [], Number).reduce((sum, length) => sum + length, 0)).toBe(count)
  expect((await frames(1))['frames']?.data).toEqual(made.data)
  expect((await frames(2))['frames']?.dims[2]).toBe(2 * count)
  const { samples } = await sounds.run({ frames: made })
  expect(samples?.dims).toEqual([1, 1, FRAME_SAMPLES * count])
})
