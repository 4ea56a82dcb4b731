// Builds the site, serves it while its pages are edited, or makes the audio of the narrated pages.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startService } from '@svc-audio/service'
import { build, createServer } from 'vitepress'
import { NARRATION_CACHE, storeNarration } from './src/narration-cache.ts'

const USAGE = 'Usage: main.ts build | dev | narrate'
const ROOT = import.meta.dirname

/** Builds with a service of its own, which makes the audio that the folder `narration` does not have. */
async function narrate(): Promise<void> {
  await rm(NARRATION_CACHE, { recursive: true, force: true })
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-audio-site-'))
  const apiKey = 'key-of-the-site'
  const service = await startService({ dataDir, port: 0, apiKeys: new Map([[apiKey, 'site']]) })
  Object.assign(process.env, { SVC_AUDIO_API_KEY: apiKey, SVC_AUDIO_BASE_URL: service.url, SVC_AUDIO_NARRATE: 'true' })
  try {
    await build(ROOT)
    storeNarration()
  } finally {
    await service.close()
    await rm(dataDir, { recursive: true, force: true })
  }
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

const COMMANDS: Readonly<Record<string, () => Promise<void>>> = { build: buildSite, dev: serve, narrate }

const command = COMMANDS[process.argv[2] ?? 'build']
if (command === undefined) {
  process.stderr.write(`${USAGE}\n`)
  process.exitCode = 1
} else await command()
