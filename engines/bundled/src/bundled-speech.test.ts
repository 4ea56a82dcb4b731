import { describe, expect, test } from 'vitest'
import { bundledSpeech } from './bundled-speech.ts'
import { threadHere } from './threads/thread.ts'

describe('bundled speech', () => {
  test('joe is first, and a voice of flite tells that speech works', async () => {
    const driver = bundledSpeech(threadHere)
    expect(driver.voices.map(({ id }) => id)).toEqual(['joe', 'rms', 'slt', 'awb', 'kal16'])
    const engine = await driver.create({ signal: new AbortController().signal, workers: 1 })
    try {
      expect(engine.probeVoiceId).toBe('rms')
      const rates: number[] = []
      for (const voiceId of ['joe', 'rms']) {
        rates.push((await engine.synthesize({ text: 'Hello.', voiceId })).format.sampleRate)
      }
      expect(rates).toEqual([22_050, 16_000])
      await expect(engine.synthesize({ text: 'Hello.', voiceId: 'nobody' })).rejects.toThrow(RangeError)
    } finally {
      await engine.close()
    }
  })
})
