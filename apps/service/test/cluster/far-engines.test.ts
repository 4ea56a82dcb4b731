import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AudioClient } from '@svc-audio/core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { RunningService } from '../../src/service.ts'
import { FAR_FAULTS, FarServer, farEntry } from '../support/far-server.ts'
import { type Cluster, KEYS, startCluster } from './cluster.ts'

const SPEECH = { model: 'svc-tts-1.5-flash', input: 'One two.', voice_id: 'bella', response_format: 'wav' } as const
const PATIENCE = { timeout: 60_000, interval: 50 }

/** Two processes of a cluster with the same file of engines: the server `far`, and behind it `next`. */
let cluster: Cluster
let folder: string
let far: FarServer
let next: FarServer
let processes: readonly RunningService[]
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-far-cluster-'))
  ;[cluster, far, next] = await Promise.all([startCluster(), FarServer.start('far'), FarServer.start('next')])
  const enginesFile = join(folder, 'engines.yaml')
  // The server that stays has all the time of a busy machine.
  const entries = [farEntry(far, ['retries: 0', 'timeouts: { answerSeconds: 3 }']), farEntry(next, ['retries: 0'])]
  await writeFile(enginesFile, `engines:\n${entries.join('')}bundled: []\n`)
  processes = [await cluster.start({ enginesFile }), await cluster.start({ enginesFile })]
  await vi.waitUntil(async () => (await missing()).every((names) => names.length === 0), PATIENCE)
})
afterAll(async () => {
  await cluster.stop()
  await Promise.all([far.close(), next.close()])
  await rm(folder, { recursive: true, force: true })
})

/** The engines that `/readyz` of each process names. */
function missing(): Promise<readonly (readonly string[])[]> {
  return Promise.all(
    processes.map(async ({ url }) => {
      const ready = (await (await fetch(`${url}/readyz`)).json()) as { readonly engines?: readonly string[] }
      return ready.engines ?? []
    }),
  )
}

test.each(FAR_FAULTS)(
  'a server of three engines that %s is down in each process, tasks end by the next one, and it comes back',
  async (_what, fault) => {
    const clients = processes.map(({ url }) => new AudioClient({ apiKey: KEYS.first, baseUrl: url, maxRetries: 0 }))
    await fault(far)
    // The first request of each process may fail.
    await Promise.allSettled(clients.map((client) => client.speech.create(SPEECH)))
    await vi.waitUntil(async () => (await missing()).every((names) => names.length === 3), PATIENCE)
    const tasks = await Promise.all(clients.map((client) => client.speech.createTask(SPEECH)))
    next.forget()
    for (const client of clients) {
      expect((await (await client.speech.create(SPEECH)).bytes()).length).toBeGreaterThan(1000)
    }
    expect(next.spoken.filter((text) => text === SPEECH.input).length).toBeGreaterThanOrEqual(clients.length)
    for (const task of tasks) expect(await task.wait({ pollInterval: 50 })).toMatchObject({ status: 'SUCCESS' })
    expect(await missing()).toEqual(processes.map(() => ['far speech', 'far recognition', 'far diarization']))
    await far.restore()
    await vi.waitUntil(async () => (await missing()).every((names) => names.length === 0), PATIENCE)
    far.forget()
    for (const client of clients) await (await client.speech.create(SPEECH)).bytes()
    expect(far.spoken.filter((text) => text === SPEECH.input)).toHaveLength(clients.length)
    await Promise.all(clients.map((client) => client.close()))
  },
)
