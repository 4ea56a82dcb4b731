import { expect, test } from 'vitest'
import { readRecording } from '../test-hosts/soak/read-recording.ts'

// The command `suite agents` does the same with an hour.
test('an agent reads a spoken recording to its end in pieces, for one transcription', async () => {
  const read = await readRecording({ seconds: 75, maxContentCharacters: 300 })
  expect(read).toMatchObject({ transcriptions: 1, failures: [], ended: true, whole: true })
  expect(read.audioSeconds).toBeGreaterThan(60)
  expect(read.pieces).toBeGreaterThanOrEqual(4)
  expect(read.longestPiece).toBeLessThanOrEqual(300)
  expect(read.wordErrorRate).toBeLessThan(0.15)
})
