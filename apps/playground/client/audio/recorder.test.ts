import { expect, test } from 'vitest'
import { SpeechPieces } from './recorder.ts'

const RATE = 1000

/** Records moments of 0.1 s, each loud (1) or quiet (0). @returns the lengths of the pieces, in seconds */
function cut(moments: string, end = true): number[] {
  const pieces: number[] = []
  const cutter = new SpeechPieces(RATE, (pcm) =>
    pieces.push(pcm.reduce((sum, { length }) => sum + length, 0) / 2 / RATE),
  )
  for (const moment of moments) {
    const rms = moment === '1' ? 0.2 : 0.001
    cutter.push(new Uint8Array(200), { rms, peak: rms })
  }
  if (end) cutter.end()
  return pieces.map((seconds) => Math.round(seconds * 10) / 10)
}

test('a piece ends with a pause of 0.6 s, and the next one has a moment of silence before its first word', () => {
  expect(cut(`${'1'.repeat(20)}${'0'.repeat(20)}${'1'.repeat(10)}`)).toEqual([2.6, 1.4])
})

test('a short pause between words does not end a piece', () => {
  expect(cut(`${'1'.repeat(10)}00000${'1'.repeat(10)}`)).toEqual([2.5])
})

test('a piece without a pause ends after ten seconds', () => {
  expect(cut('1'.repeat(150))).toEqual([10, 5])
})

test('silence is no piece', () => {
  expect(cut('0'.repeat(300))).toEqual([])
})

test('the hum of a loud room is silence beside a voice that is much louder', () => {
  const pieces: number[] = []
  const cutter = new SpeechPieces(RATE, (pcm) => pieces.push(pcm.length))
  for (const rms of [...Array<number>(5).fill(0.5), ...Array<number>(6).fill(0.05)]) {
    cutter.push(new Uint8Array(200), { rms, peak: rms })
  }
  expect(pieces).toEqual([11])
})

test('a piece that has begun waits for its end', () => {
  expect(cut('1'.repeat(20), false)).toEqual([])
})
