import { describe, expect, test } from 'vitest'
import type { VoiceManner } from '@svc-audio/engine-ports'
import { FLITE_VOICES, type FliteVoice, voiceFeatures } from './voices.ts'

const voice: FliteVoice = {
  id: 'someone',
  name: 'Someone',
  language: 'en',
  naturalStretch: 1.1,
  response: { gain: 0.5, skew: 0.2 },
}
const manner: VoiceManner = { pitchHz: 200, rangeSemitones: 1, tempo: 1, size: 1 }

describe('voiceFeatures', () => {
  test('without a manner only the speed counts', () => {
    expect(voiceFeatures(voice)(2)).toEqual({ voice: 'someone', durationStretch: 2.2, stretch: 2 })
  })

  test('twice the tempo takes half the time, on top of the speed', () => {
    const { durationStretch, stretch } = voiceFeatures(voice, { ...manner, tempo: 2 })(3)
    expect(durationStretch).toBeCloseTo(1.65)
    expect(stretch).toBe(1.5)
  })

  test('the deviation compensates the voice’s loss, and the mean its skew', () => {
    const { pitch } = voiceFeatures(voice, manner)(1)
    const heard = 200 * (2 ** (1 / 12) - 1)
    expect(pitch?.deviation).toBeCloseTo(heard / 0.5)
    expect(pitch?.mean).toBeCloseTo(200 + 0.2 * (heard / 0.5))
  })

  test('a size that shortens playback makes the speech lower and longer before', () => {
    const { pitch, durationStretch, size } = voiceFeatures(voice, { ...manner, rangeSemitones: 0, size: 0.8 })(1)
    expect(pitch?.mean).toBeCloseTo(160)
    expect(durationStretch).toBeCloseTo(1.1 / 0.8)
    expect(size).toBe(0.8)
  })

  test('the deviation has a limit', () => {
    expect(voiceFeatures(voice, { ...manner, rangeSemitones: 12 })(1).pitch?.deviation).toBe(70)
  })

  test('a voice with a fixed manner refuses a manner', () => {
    const { response: _response, ...fixed } = voice
    expect(() => voiceFeatures(fixed, manner)).toThrow('someone')
    expect(() => voiceFeatures(fixed, manner)).toThrow(RangeError)
    expect(voiceFeatures(fixed)(1).pitch).toBeUndefined()
  })
})

test('exactly the voices with a variable manner have traits', () => {
  for (const { traits, response } of FLITE_VOICES) expect(traits === undefined).toBe(response === undefined)
  expect(FLITE_VOICES.filter(({ traits }) => traits === undefined).map(({ id }) => id)).toEqual(['rms'])
})
