// Follows the quick start of each published package in an empty project outside the workspace, against a service that
// runs. Arguments limit it to these packages.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AudioClient } from '@svc-audio/core'
import { packageTarballs } from '@svc-audio/kit/hosts'
import { startService } from '@svc-audio/service'
import { newProject, type Surroundings } from './quick-starts/new-project.ts'
import { QUICK_STARTS, SPOKEN } from './quick-starts/quick-starts.ts'

const folder = await mkdtemp(join(tmpdir(), 'svc-audio-newcomer-'))
const apiKey = 'key-of-a-newcomer'
const service = await startService({
  dataDir: join(folder, 'data'),
  port: 0,
  apiKeys: new Map([[apiKey, 'newcomer']]),
})
try {
  process.exitCode = (await followAll(await surroundings(), process.argv.slice(2))) ? 0 : 1
} finally {
  await service.close()
  await rm(folder, { recursive: true, force: true })
}

async function surroundings(): Promise<Surroundings> {
  const recording = join(folder, 'speech.wav')
  await using client = new AudioClient({ apiKey, baseUrl: service.url })
  const speech = await client.speech.stream({ model: 'svc-tts-1.5-flash', input: SPOKEN, voice_id: 'rms' })
  await speech.saveTo(recording)
  const packages = await packageTarballs(join(folder, 'tarballs'))
  return { packages, recording, env: { SVC_AUDIO_API_KEY: apiKey, SVC_AUDIO_BASE_URL: service.url } }
}

/** @returns Whether every quick start worked, and every package has one */
async function followAll(given: Surroundings, chosen: readonly string[]): Promise<boolean> {
  const waiting = chosen.length === 0 ? [...given.packages.keys()] : [...chosen]
  let works = true
  const work = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const start = performance.now()
      const failure = await follow(name, given)
      const seconds = ((performance.now() - start) / 1000).toFixed(1)
      console.log(`${failure === undefined ? '✓' : '✗'} ${name.padEnd(32)} ${seconds} s`)
      if (failure === undefined) continue
      works = false
      console.log(failure)
    }
  }
  // An install waits for the network as long as it computes.
  await Promise.all([work(), work()])
  return works
}

/** @returns Why the quick start does not work */
async function follow(name: string, given: Surroundings): Promise<string | undefined> {
  const quickStart = QUICK_STARTS[name]
  if (quickStart === undefined) return `${name} has no quick start: add one to scripts/quick-starts/quick-starts.ts`
  try {
    await using project = await newProject(name, given, quickStart.before ?? '')
    await quickStart.follow(project)
    return undefined
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error)
  }
}
