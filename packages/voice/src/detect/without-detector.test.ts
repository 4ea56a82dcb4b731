import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { detectUtterances } from './detect-utterances.ts'

// Files share a worker: the modules of other files have no mock, and those of this file keep theirs to themselves.
vi.hoisted(() => vi.resetModules())
afterAll(() => void vi.resetModules())

vi.mock('./silero.ts', () => ({
  hasSilero: async () => false,
  sileroSpeech: () => ({ open: () => Promise.reject(new Error('missing')) }),
}))

afterEach(() => void vi.restoreAllMocks())

const FORMAT = { sampleRate: 16_000, channels: 1, bitDepth: 16 }

/** Half a second of a tone in a quiet room. */
async function* microphone(): AsyncGenerator<Uint8Array> {
  const samples = Int16Array.from({ length: 48_000 }, (_, index) =>
    index > 16_000 && index < 24_000 ? Math.sin(index / 5) * 10_000 : (index * 7919) % 40,
  )
  yield new Uint8Array(samples.buffer)
}

test('without the packages of the detector, loudness decides, and a warning names them once', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
  for (let run = 0; run < 2; run += 1) {
    let utterances = 0
    for await (const utterance of detectUtterances(microphone(), { format: FORMAT })) {
      for await (const piece of utterance) void piece
      utterances += 1
    }
    expect(utterances).toBe(1)
  }
  expect(warn).toHaveBeenCalledOnce()
  expect(warn.mock.calls[0]?.[0]).toContain('npm install @svc-audio/silero-vad @svc-audio/onnx-runtime')
  for await (const utterance of detectUtterances(microphone(), { format: FORMAT, speech: 'loudness' })) void utterance
  expect(warn).toHaveBeenCalledOnce()
})
