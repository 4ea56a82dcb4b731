import assert from 'node:assert/strict'
import type { RecognitionEngine, RecognizedWord } from '../recognition-engine.ts'
import { chunksOf, type ContractCase, withEngine } from './contract.ts'
import { listeningCases } from './listening.ts'

/** A recognizer under test, and speech that it recognizes. */
export interface RecognitionSubject {
  /** Makes a new engine. */
  readonly create: () => Promise<RecognitionEngine>
  /** Speech in 16 kHz mono signed 16-bit little-endian PCM, at least 1 s. */
  readonly speech: Uint8Array
  /** A pattern that the text of the speech matches. */
  readonly says: RegExp
}

/** The facts of {@link RecognitionEngine}. */
export const recognitionContract: readonly ContractCase<RecognitionSubject>[] = [
  {
    name: 'speech becomes text, and words in the order of time within the audio',
    run: ({ create, speech, says }) =>
      withEngine(create, async (engine) => {
        const { text, words, durationSeconds } = await engine.recognize(chunksOf(speech))
        assert.match(text, says)
        assert.ok(words.length > 0)
        let last = 0
        for (const { word, startSecond, endSecond } of words) {
          assert.notEqual(word, '')
          assert.ok(startSecond >= last && endSecond >= startSecond, 'words are in the order of time')
          assert.ok(endSecond <= durationSeconds + 0.1, 'words are within the audio')
          last = startSecond
        }
      }),
  },
  {
    name: 'chunks of any size give the same text',
    run: ({ create, speech }) =>
      withEngine(create, async (engine) => {
        const { text } = await engine.recognize(chunksOf(speech, 32_000))
        assert.equal((await engine.recognize(chunksOf(speech, 777))).text, text)
      }),
  },
  {
    name: 'silence has no text and no words',
    run: ({ create }) =>
      withEngine(create, async (engine) => {
        const { text, words } = await engine.recognize(chunksOf(new Uint8Array(64_000)))
        assert.equal(text, '')
        assert.deepEqual(words, [])
      }),
  },
  {
    name: 'the words that arrive during the recognition are those of the result',
    run: ({ create, speech }) =>
      withEngine(create, async (engine) => {
        const heard: RecognizedWord[] = []
        const { words } = await engine.recognize(chunksOf(speech), { onWords: (some) => heard.push(...some) })
        assert.deepEqual(heard, words)
      }),
  },
  {
    name: 'keyterms that are not spoken do not change the text',
    run: ({ create, speech }) =>
      withEngine(create, async (engine) => {
        const { text } = await engine.recognize(chunksOf(speech))
        assert.equal((await engine.recognize(chunksOf(speech), { keyterms: ['Szczecin'] })).text, text)
      }),
  },
  ...listeningCases<RecognitionSubject>(async ({ create }) => {
    const engine = await create()
    return { listen: (pcm, options) => engine.recognize(pcm, options), close: () => engine.close() }
  }),
]
