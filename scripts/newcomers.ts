// Follows start pages line by line in empty folders, with the packages from tarballs and a service that runs: no dead
// end, no warning, sound at the end. Prints commands and seconds of each. Arguments limit it to these pages.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { packageTarballs } from '@svc-audio/hosts'
import { startService } from '@svc-audio/service'
import { follow } from './newcomers/follow.ts'
import { readStartPage } from './newcomers/start-page.ts'

const ROOT = dirname(import.meta.dirname)

/** Pages that need Node alone, and whether they start a server. */
const PAGES = new Map([
  ['express', true],
  ['fastify', true],
  ['hono', true],
  ['nestjs', true],
  ['ai-sdk', false],
])

/** A line that worries a newcomer. Settings of this machine's npm are not the page's. */
const FAULT = /^npm (?:warn (?!Unknown)|error)|deprecated|error TS\d/i

const chosen = process.argv.slice(2).filter((argument) => argument !== '--')
const folder = await mkdtemp(join(tmpdir(), 'svc-audio-newcomers-'))
const apiKey = 'key-of-a-newcomer'
const service = await startService({ dataDir: join(folder, 'data'), port: 0, apiKeys: new Map([[apiKey, 'newcomer']]) })
try {
  const packages = await packageTarballs(join(folder, 'tarballs'))
  const env = { SVC_AUDIO_API_KEY: apiKey, SVC_AUDIO_BASE_URL: service.url }
  for (const [name, serves] of PAGES) {
    if (chosen.length > 0 && !chosen.includes(name)) continue
    const steps = readStartPage(await readFile(join(ROOT, `docs/start/${name}.md`), 'utf8'))
    const { commands, seconds, printed, audioBytes } = await follow(steps, { env, packages, serves })
    const faults = [
      ...printed.split('\n').filter((line) => FAULT.test(line)),
      ...(audioBytes > 1000 ? [] : ['there is no sound']),
      ...(/good morning|hello there/i.test(printed) ? [] : ['no transcript was printed']),
    ]
    console.log(`${name}: ${commands} commands, ${seconds.toFixed(0)} s, ${audioBytes} bytes of audio`)
    for (const fault of faults) console.error(`  ${fault}`)
    if (faults.length > 0) process.exitCode = 1
  }
} finally {
  await service.close()
  await rm(folder, { recursive: true, force: true })
}
