// Builds the site, serves it while its pages are edited, or makes the audio of its pages.
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AudioClient } from '@svc-audio/core'
import { startService } from '@svc-audio/service'
import { build, createServer } from 'vitepress'
import { listenText, VOICES } from './src/listen.ts'
import { NARRATION_CACHE, storeNarration } from './src/narration-cache.ts'

const USAGE = 'Usage: main.ts build | dev | narrate | voices'
const ROOT = import.meta.dirname

/** Runs work with a service of its own, and with the client's variables of the environment set for it. */
async function withService(run: () => Promise<void>): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-audio-site-'))
  const apiKey = 'key-of-the-site'
  const service = await startService({ dataDir, port: 0, apiKeys: new Map([[apiKey, 'site']]) })
  Object.assign(process.env, { SVC_AUDIO_API_KEY: apiKey, SVC_AUDIO_BASE_URL: service.url })
  try {
    await run()
  } finally {
    await service.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Builds with a service, which makes the audio that the folder `narration` does not have. */
async function narrate(): Promise<void> {
  await rm(NARRATION_CACHE, { recursive: true, force: true })
  process.env['SVC_AUDIO_NARRATE'] = 'true'
  await withService(async () => {
    await build(ROOT)
    storeNarration()
  })
}

/** Speaks the paragraph of the page `listen` with each voice, into the folder `voices`. */
async function speakVoices(): Promise<void> {
  await rm(VOICES, { recursive: true, force: true })
  await mkdir(VOICES)
  await withService(async () => {
    const audio = new AudioClient()
    for await (const { id } of audio.voices.list()) {
      const speech = await audio.speech.create({ model: 'svc-tts-1.5-flash', input: listenText(), voice_id: id })
      await speech.saveTo(join(VOICES, `${id}.mp3`))
    }
    await audio.close()
  })
}

async function serve(): Promise<void> {
  const server = await createServer(ROOT)
  await server.listen()
  server.printUrls()
}

async function buildSite(): Promise<void> {
  try {
    await build(ROOT)
  } catch (error) {
    if (String(error).includes('The cache has no audio')) {
      process.stderr.write(
        'The text of a narrated page has changed: run npx -y pnpm@12 docs narrate, and commit its audio\n',
      )
    }
    throw error
  }
}

const COMMANDS: Readonly<Record<string, () => Promise<void>>> = {
  build: buildSite,
  dev: serve,
  narrate,
  voices: speakVoices,
}

const command = COMMANDS[process.argv[2] ?? 'build']
if (command === undefined) {
  process.stderr.write(`${USAGE}\n`)
  process.exitCode = 1
} else await command()
