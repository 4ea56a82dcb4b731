import { fork } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { connect } from './support/clients.ts'
import { startServer } from './support/servers.ts'
import { CREATED, delta, frames, openEvents, pcm } from './support/speech.ts'
import { startStalledListener } from './support/stalled-listener.ts'

/** A service that holds each call at the place of its abort, and reports when it is there. */
async function startAt(place: string): Promise<{ url: string; there: Promise<void> }> {
  const { promise, resolve } = Promise.withResolvers<void>()
  if (place === 'connect') {
    const url = await startStalledListener()
    setTimeout(resolve, 300)
    return { url, there: promise }
  }
  const { url } = await startServer((request, response) => {
    const tell = (): void => void setTimeout(resolve, 100)
    if (place === 'upload') request.once('data', tell)
    else if (place === 'poll in flight') tell()
    else if (place === 'sleep') {
      response.once('finish', tell)
      response.writeHead(503, { 'retry-after': '900' }).end('{}')
    } else if (place === 'poll') {
      response.once('finish', tell)
      response.end(JSON.stringify({ id: 't', object: 'audio.speech', status: 'PROCESSING', retry_after: 900 }))
    } else {
      openEvents(response)
      response.write(frames(CREATED, delta(pcm(1000))), tell)
    }
  })
  return { url, there: promise }
}

// All of it in a process that holds the client and nothing else: whatever is left would show.
test.each(['connect', 'upload', 'sleep', 'stream', 'poll', 'poll in flight'])(
  'an abort in mid-%s rejects with its reason and leaves no timer, no socket and no listener',
  async (place) => {
    const { url, there } = await startAt(place)
    const child = fork(new URL('support/abort-child.ts', import.meta.url), [place, url], { silent: true })
    onTestFinished(() => void child.kill('SIGKILL'))
    if (child.stdout === null || child.stderr === null) throw new Error('The child has no output')
    const output = Promise.all([text(child.stdout), text(child.stderr)])
    await once(child, 'message')
    await there
    child.send('abort')
    const [said, complaints] = await output
    expect(complaints).toBe('')
    expect(JSON.parse(said)).toEqual({ reason: 'enough', left: [], listeners: 0 })
  },
)

test('an abort during a connect does not affect other calls to the same host', async () => {
  const { url } = await startServer((_, response) => void response.end('{"object":"list","data":[],"text":""}'))
  const audio = connect(url)
  const controllers = Array.from({ length: 20 }, () => new AbortController())
  const calls = controllers.map(({ signal }, index) =>
    index % 3 === 0
      ? audio.transcriptions.create({ model: 'svc-transcribe-1.0', file: pcm(1000) }, { signal })
      : audio.models.list({ signal }),
  )
  await new Promise((resolve) => setImmediate(resolve))
  for (const [index, controller] of controllers.entries()) if (index % 2 === 0) controller.abort('enough')
  const outcomes = await Promise.allSettled(calls)
  expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(10)
  const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
  expect(new Set(reasons)).toEqual(new Set(['enough']))
})
