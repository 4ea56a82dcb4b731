import { encodeWav } from '@svc-audio/core/audio'
import { expect, test } from 'vitest'
import { audioLength } from './audio-length.ts'

/** The length of a file of this size that begins with these bytes. */
const lengthOf = (head: Uint8Array, size: number): Promise<number | undefined> =>
  audioLength({
    source: { type: 'reference', id: 'a' },
    key: undefined,
    head,
    body: { file: { data: head, name: 'audio.wav', size } },
  })

const PCM = encodeWav({ sampleRate: 16_000, channels: 1, bitDepth: 16 }, [new Uint8Array(64)])

test('the length of a WAV file follows from its head and its size', async () => {
  expect(await lengthOf(PCM, 44 + 64_000)).toBe(2)
})

test('a head that ends before the samples tells the length too', async () => {
  // Encoders write a list of tags between format and samples.
  const head = Buffer.concat([PCM.subarray(0, 36), Buffer.from('LIST\u0040\0\0\0INFO')])
  expect(await lengthOf(head, 44 + 64_000)).toBe(2)
})

test('the length of ADPCM follows from the bytes of a second, not from the bits of a sample', async () => {
  const head = Buffer.from(PCM.subarray(0, 60))
  head.writeUInt16LE(0x11, 20)
  head.writeUInt32LE(8110, 28)
  head.writeUInt16LE(4, 34)
  expect(await lengthOf(head, 44 + 81_100)).toBe(10)
})

test.each([
  ['another file', Buffer.from('OggS\0\u0002....................................')],
  ['a WAV file without bytes per second', Buffer.concat([PCM.subarray(0, 28), Buffer.alloc(4), PCM.subarray(32)])],
  ['a cut head', PCM.subarray(0, 30)],
])('%s has no known length', async (_, head) => {
  expect(await lengthOf(head, 64_044)).toBeUndefined()
})
