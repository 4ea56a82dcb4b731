import { expect, test } from 'vitest'
import { drawWaveform, levelsOf, type WaveformContext, type WaveformPicture } from './levels.ts'

/** Ten seconds: the first half loud, the second half silent. */
const levels = levelsOf(
  Float32Array.from({ length: 1000 }, (_, index) => (index < 500 ? 0.8 : 0)),
  100,
)
const PICTURE = { duration: 10, played: 0, width: 200, height: 72, colour: 'grey', playedColour: 'green' }

interface Bar {
  readonly x: number
  readonly y: number
  readonly height: number
  readonly colour: unknown
}

/** Draws. @returns the bars from left to right */
function draw(change: Partial<WaveformPicture>): readonly Bar[] {
  const bars: Bar[] = []
  let path: Omit<Bar, 'colour'>[] = []
  const context: WaveformContext = {
    fillStyle: '',
    clearRect: () => {},
    beginPath: () => void (path = []),
    roundRect: (x, y, _width, height) => void path.push({ x, y, height }),
    fill: () => void bars.push(...path.map(({ x, y, height }) => ({ x, y, height, colour: context.fillStyle }))),
  }
  drawWaveform(context, { ...PICTURE, levels, ...change })
  return bars
}

test('is high where the audio is loud, and low where it is silent', () => {
  const heights = draw({}).map(({ height }) => height)
  expect(heights).toHaveLength(40)
  expect(Math.min(...heights.slice(0, 19))).toBe(72)
  expect(Math.max(...heights.slice(21))).toBe(3)
})

test('colours the part that was played', () => {
  const colours = draw({ played: 0.25 }).map(({ colour }) => colour)
  expect(colours).toEqual([...Array<string>(10).fill('green'), ...Array<string>(30).fill('grey')])
})

test('without levels is a flat line in the middle', () => {
  const bars = draw({ levels: undefined, duration: 0 })
  expect(new Set(bars.map(({ y, height }) => [y, height].join()))).toEqual(new Set(['34.5,3']))
})

test('scales quiet speech to the full height, but not noise', () => {
  const quiet = (size: number): number =>
    Math.max(...draw({ levels: levelsOf(new Float32Array(1000).fill(size), 100) }).map(({ height }) => height))
  expect(quiet(0.1)).toBe(72)
  expect(quiet(0.01)).toBeLessThan(20)
})

test('takes as many bars for an hour as for a second', () => {
  expect(draw({ duration: 3600 })).toHaveLength(draw({ duration: 1 }).length)
})
