import assert from 'node:assert/strict'
import {
  chunksOf,
  type ContractCase,
  EndlessSilence,
  failingSource,
  rejectsWith,
  SourceFault,
  withEngine,
} from './contract.ts'

/** What recognizers and diarizers have in common: they read PCM to its end and return a result. */
interface Listener {
  listen(
    pcm: AsyncIterable<Uint8Array>,
    options?: { readonly signal?: AbortSignal },
  ): Promise<{ readonly durationSeconds: number }>
  close(): Promise<void>
}

const BYTES_PER_SECOND = 32_000

/** The facts of everything that listens to 16 kHz mono PCM. @param listenerOf Makes the engine of a subject. */
export function listeningCases<Subject extends { readonly speech: Uint8Array }>(
  listenerOf: (subject: Subject) => Promise<Listener>,
): readonly ContractCase<Subject>[] {
  const using = (subject: Subject, use: (engine: Listener) => Promise<void>): Promise<void> =>
    withEngine(() => listenerOf(subject), use)
  return [
    {
      name: 'the duration of a result is that of the audio, in chunks of any size',
      run: (subject) =>
        using(subject, async (engine) => {
          const { durationSeconds } = await engine.listen(chunksOf(subject.speech, 3333))
          assert.ok(Math.abs(durationSeconds - subject.speech.length / BYTES_PER_SECOND) < 0.1)
        }),
    },
    {
      name: 'audio without a sample has a result of 0 s',
      run: (subject) =>
        using(subject, async (engine) => {
          assert.equal((await engine.listen(chunksOf(new Uint8Array()))).durationSeconds, 0)
        }),
    },
    {
      name: 'an abort rejects with its reason and closes the source',
      run: (subject) =>
        using(subject, async (engine) => {
          const controller = new AbortController()
          const reason = new Error('the caller aborted')
          const source = new EndlessSilence((chunks) => {
            if (chunks === 20) controller.abort(reason)
          })
          await rejectsWith(engine.listen(source, { signal: controller.signal }), reason)
          await until(() => source.isClosed)
        }),
    },
    {
      name: 'work that was aborted before does not start',
      run: (subject) =>
        using(subject, async (engine) => {
          const reason = new Error('aborted before')
          await rejectsWith(engine.listen(chunksOf(subject.speech), { signal: AbortSignal.abort(reason) }), reason)
        }),
    },
    {
      name: 'an error of the source is the error of the work, and the next recording is not affected',
      run: (subject) =>
        using(subject, async (engine) => {
          await assert.rejects(engine.listen(failingSource()), SourceFault)
          assert.ok((await engine.listen(chunksOf(new Uint8Array(BYTES_PER_SECOND)))).durationSeconds > 0.9)
        }),
    },
    {
      name: 'a close rejects the running work and later work, and a second close does nothing',
      async run(subject) {
        const engine = await listenerOf(subject)
        const reading = Promise.withResolvers<undefined>()
        const running = engine.listen(new EndlessSilence((chunks) => chunks > 2 && reading.resolve(undefined)))
        const outcome = running.then(
          () => 'it resolved',
          () => 'rejected',
        )
        // An engine that does not read ends here too, and fails below.
        await Promise.race([reading.promise, outcome])
        await engine.close()
        await engine.close()
        assert.equal(await outcome, 'rejected')
        await assert.rejects(engine.listen(chunksOf(subject.speech)))
      },
    },
  ]
}

/** Waits for something that follows at once, for at most 5 s. */
async function until(isTrue: () => boolean): Promise<void> {
  const end = performance.now() + 5000
  while (!isTrue()) {
    assert.ok(performance.now() < end, 'the source was not closed')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
