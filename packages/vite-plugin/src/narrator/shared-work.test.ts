import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { SharedWork, type Work } from './shared-work.ts'

/** Work whose start and end the test controls. */
class Probe {
  readonly work = new SharedWork<string>()
  readonly runs: { readonly job: Work; readonly finish: (result: string) => void }[] = []

  run(scope: AbortSignal, gone?: AbortSignal): Promise<string> {
    return this.work.run('key', gone === undefined ? { scope } : { scope, gone }, (job) => {
      const { promise, resolve, reject } = Promise.withResolvers<string>()
      job.signal.addEventListener('abort', () => reject(job.signal.reason as Error))
      this.runs.push({ job, finish: resolve })
      return promise
    })
  }
}

const left = new Error('left')

test('what is wanted several times at once is done once, and anew afterwards', async () => {
  const probe = new Probe()
  const { signal } = new AbortController()
  const all = [probe.run(signal), probe.run(signal), probe.run(signal)]
  probe.runs[0]?.finish('done')
  expect(await Promise.all(all)).toEqual(['done', 'done', 'done'])
  void probe.run(signal)
  expect(probe.runs).toHaveLength(2)
})

test('different keys are different work', async () => {
  const work = new SharedWork<string>()
  const { signal: scope } = new AbortController()
  const make = (key: string): Promise<string> => work.run(key, { scope }, () => Promise.resolve(key))
  expect(await Promise.all([make('a'), make('b')])).toEqual(['a', 'b'])
})

test('a failure reaches everyone and is not kept', async () => {
  const work = new SharedWork<string>()
  const { signal: scope } = new AbortController()
  let tries = 0
  const make = (): Promise<string> =>
    work.run('key', { scope }, () => {
      tries += 1
      return Promise.reject(new Error('no'))
    })
  const both = [make(), make()]
  for (const one of both) await expect(one).rejects.toThrow('no')
  await expect(make()).rejects.toThrow('no')
  expect(tries).toBe(2)
})

test('work goes on for a scope that still wants it, and stops with the last one', async () => {
  const probe = new Probe()
  const [first, second] = [new AbortController(), new AbortController()]
  const one = probe.run(first.signal)
  const two = probe.run(second.signal)
  probe.runs[0]?.job.started()
  first.abort(left)
  await expect(one).rejects.toBe(left)
  expect(probe.runs[0]?.job.signal.aborted).toBe(false)
  second.abort(left)
  await expect(two).rejects.toBe(left)
  expect(probe.runs[0]?.job.signal.aborted).toBe(true)
})

test('queued work that no one waits for any more is dropped', async () => {
  const probe = new Probe()
  const { signal } = new AbortController()
  const [one, two] = [new AbortController(), new AbortController()]
  const waiting = [probe.run(signal, one.signal), probe.run(signal, two.signal)]
  one.abort(left)
  await expect(waiting[0]).rejects.toBe(left)
  expect(probe.runs[0]?.job.signal.aborted).toBe(false)
  two.abort(left)
  await expect(waiting[1]).rejects.toBe(left)
  expect(probe.runs[0]?.job.signal.reason).toBe(left)
})

test('work that has begun is finished though no one waits, and the next one gets it', async () => {
  const probe = new Probe()
  const { signal } = new AbortController()
  const leaving = new AbortController()
  const first = probe.run(signal, leaving.signal)
  probe.runs[0]?.job.started()
  leaving.abort(left)
  await expect(first).rejects.toBe(left)
  const second = probe.run(signal)
  probe.runs[0]?.finish('done')
  expect(await second).toBe('done')
  expect(probe.runs).toHaveLength(1)
})

test('nobody joins work that was stopped', async () => {
  const probe = new Probe()
  const [first, second] = [new AbortController(), new AbortController()]
  const stopped = probe.run(first.signal)
  first.abort(left)
  const fresh = probe.run(second.signal)
  await expect(stopped).rejects.toBe(left)
  expect(probe.runs).toHaveLength(2)
  probe.runs[1]?.finish('done')
  expect(await fresh).toBe('done')
})

test('a scope that has ended gets no work', async () => {
  const probe = new Probe()
  await expect(probe.run(AbortSignal.abort(left))).rejects.toBe(left)
  await expect(probe.run(new AbortController().signal, AbortSignal.abort(left))).rejects.toBe(left)
  expect(probe.runs[0]?.job.signal.aborted ?? true).toBe(true)
})

test('signals keep no listener', async () => {
  const probe = new Probe()
  const [scope, gone] = [new AbortController(), new AbortController()]
  const all = [probe.run(scope.signal, gone.signal), probe.run(scope.signal, gone.signal)]
  probe.runs[0]?.finish('done')
  await Promise.all(all)
  await Promise.resolve()
  expect(getEventListeners(scope.signal, 'abort')).toHaveLength(0)
  expect(getEventListeners(gone.signal, 'abort')).toHaveLength(0)
})
