import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AudioClient } from '@svc-audio/core'
import { encodeWav } from '@svc-audio/core/audio'
import { fliteSpeech } from '@svc-audio/kit/engine-fixtures/flite-speech.ts'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { FAR_FAULTS, FarServer, farEntry } from './support/far-server.ts'
import { Program } from './support/program.ts'
import { parsePrometheus } from './support/telemetry.ts'
import { KEY } from './support/test-service.ts'

/** The ports of the far server: its speech, its recognition and its diarization are engines of their own. */
const PORTS = ['speech', 'recognition', 'diarization'] as const

const PATIENCE = { timeout: 60_000, interval: 50 }

/** A service whose first engines are those of the server `far`, and whose next ones are those of the server `next`. */
let folder: string
let far: FarServer
let next: FarServer
let program: Program
let url: string
let audio: AudioClient
let file: Uint8Array
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-outages-'))
  far = await FarServer.start('far')
  next = await FarServer.start('next')
  const samples = await fliteSpeech('The train to the coast leaves at seven.')
  file = encodeWav({ sampleRate: 16_000, channels: 1, bitDepth: 16 }, [new Uint8Array(samples.buffer)])
  // The server that stays has all the time of a busy machine.
  const entries = [farEntry(far, ['retries: 0', 'timeouts: { answerSeconds: 3 }']), farEntry(next, ['retries: 0'])]
  await writeFile(join(folder, 'engines.yaml'), `engines:\n${entries.join('')}bundled: []\n`)
  const args = ['--port', '0', '--data-dir', 'data', '--engines', 'engines.yaml']
  program = new Program(folder, args, { SVC_AUDIO_API_KEYS: `tenant:${KEY}` })
  url = await program.ready()
  audio = new AudioClient({ apiKey: KEY, baseUrl: url, maxRetries: 0 })
  await vi.waitUntil(async () => (await missing()).length === 0, PATIENCE)
})
afterAll(async () => {
  await audio.close()
  await program.stop()
  await Promise.all([far.close(), next.close()])
  await rm(folder, { recursive: true, force: true })
})

/** The engines that `/readyz` names. */
async function missing(): Promise<readonly string[]> {
  const ready = (await (await fetch(`${url}/readyz`)).json()) as { readonly engines?: readonly string[] }
  return ready.engines ?? []
}

/** The engines whose gauge is 0. */
async function down(): Promise<readonly string[]> {
  const samples = parsePrometheus(await (await fetch(`${url}/metrics`)).text())
  return ['far', 'next'].flatMap((name) =>
    PORTS.filter((port) => samples.get(`svc_audio_named_engine_up{engine="${port}",name="${name}"}`) === 0).map(
      (port) => `${name} ${port}`,
    ),
  )
}

const speech = { model: 'svc-tts-1.5-flash', input: 'One two.', voice_id: 'bella', response_format: 'wav' } as const
const transcription = () => ({ model: 'svc-transcribe-diarize-pro', file }) as const

/** Polls readiness and gauge until it is stopped. @returns What polls found that is not the whole of `far` */
function watch(): () => Promise<readonly string[]> {
  const whole = PORTS.map((port) => `far ${port}`)
  const wrong: string[] = []
  const state = { isOver: false }
  const done = (async () => {
    while (!state.isOver) {
      const found = [await missing(), await down()].map((names) => names.toSorted().join())
      for (const names of found) if (names !== whole.toSorted().join()) wrong.push(names)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })()
  return async () => {
    state.isOver = true
    await done
    return wrong
  }
}

const linesWith = (text: string): string[] => program.stderr.split('\n').filter((line) => line.includes(text))

describe.each(FAR_FAULTS)('a server of three engines that %s', (_what, fault) => {
  test('is down from the second request on: the next one works, tasks end, and it comes back', async () => {
    const before = ['does not work', 'works again'].map((text) => linesWith(text).length)
    await fault(far)
    // The first requests may fail.
    await Promise.allSettled([audio.speech.create(speech), audio.transcriptions.create(transcription())])
    // Probes of a busy machine may need longer than the requests have waited for them. No further request is needed.
    await vi.waitUntil(async () => (await missing()).length === PORTS.length, PATIENCE)
    const stop = watch()
    const tasks = [await audio.speech.createTask(speech), await audio.transcriptions.createTask(transcription())]
    for (let request = 0; request < 3; request += 1) {
      next.forget()
      expect((await (await audio.speech.create(speech)).bytes()).length).toBeGreaterThan(1000)
      expect(next.spoken).toContain(speech.input)
      const { text, segments } = (await audio.transcriptions.create(transcription())) as {
        readonly text: string
        readonly segments: readonly { readonly speaker: string }[]
      }
      expect([text, segments.map(({ speaker }) => speaker)]).toEqual(['next', ['S01']])
    }
    for (const task of tasks) expect(await task.wait({ pollInterval: 50 })).toMatchObject({ status: 'SUCCESS' })
    expect(await stop()).toEqual([])
    await far.restore()
    await vi.waitUntil(async () => (await missing()).length === 0 && (await down()).length === 0, PATIENCE)
    expect(await audio.transcriptions.create(transcription())).toMatchObject({ text: 'far' })
    const lines = ['does not work', 'works again'].map((text, index) => linesWith(text).slice(before[index]))
    for (const some of lines) {
      expect(some.map((line) => (JSON.parse(line) as { engine: string }).engine).toSorted()).toEqual(
        PORTS.map((port) => `far ${port}`).toSorted(),
      )
    }
  })
})
