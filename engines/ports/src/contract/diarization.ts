import assert from 'node:assert/strict'
import type { DiarizationEngine } from '../diarization-engine.ts'
import { speakerLabel } from '../speaker-label.ts'
import { chunksOf, type ContractCase, withEngine } from './contract.ts'
import { listeningCases } from './listening.ts'

/** A diarizer under test, and a dialogue. */
export interface DiarizationSubject {
  /** Makes a new engine. */
  readonly create: () => Promise<DiarizationEngine>
  /** A dialogue in 16 kHz mono signed 16-bit little-endian PCM. */
  readonly speech: Uint8Array
  /** Number of its speakers. */
  readonly speakers: number
}

/** The facts of {@link DiarizationEngine}. */
export const diarizationContract: readonly ContractCase<DiarizationSubject>[] = [
  {
    name: 'a dialogue has its speakers, labelled in the order of their first speech',
    run: ({ create, speech, speakers }) =>
      withEngine(create, async (engine) => {
        const { segments } = await engine.diarize(chunksOf(speech))
        const labels = [...new Set(segments.map(({ speaker }) => speaker))]
        assert.deepEqual(
          labels,
          Array.from({ length: speakers }, (_, index) => speakerLabel(index)),
        )
      }),
  },
  {
    name: 'segments are in the order of time, within the audio and without overlaps',
    run: ({ create, speech }) =>
      withEngine(create, async (engine) => {
        const { segments, durationSeconds } = await engine.diarize(chunksOf(speech))
        let last = 0
        for (const { startSecond, endSecond } of segments) {
          assert.ok(startSecond >= last && endSecond > startSecond && endSecond <= durationSeconds + 0.1)
          last = endSecond
        }
      }),
  },
  {
    name: 'chunks of any size give the same segments',
    run: ({ create, speech }) =>
      withEngine(create, async (engine) => {
        const { segments } = await engine.diarize(chunksOf(speech, 32_000))
        assert.deepEqual((await engine.diarize(chunksOf(speech, 777))).segments, segments)
      }),
  },
  {
    name: 'silence has no segments',
    run: ({ create }) =>
      withEngine(create, async (engine) => {
        assert.deepEqual((await engine.diarize(chunksOf(new Uint8Array(64_000)))).segments, [])
      }),
  },
  ...listeningCases<DiarizationSubject>(async ({ create }) => {
    const engine = await create()
    return { listen: (pcm, options) => engine.diarize(pcm, options), close: () => engine.close() }
  }),
]
