// Follows the paths of newcomers line by line in empty folders, with the packages from a registry on this machine and a
// service that runs: no dead end, no warning, sound at the end. Prints commands and minutes of each. Arguments limit it to
// these paths.
// `suite n8n` has the path of n8n, which takes an n8n.
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { output, packageTarballs, RUNTIME_VERSIONS, runtimes } from '@svc-audio/kit/hosts'
import { startService } from '@svc-audio/service'
import { contribute } from './newcomers/contribute.ts'
import { follow, type NewcomerOptions } from './newcomers/follow.ts'
import { listen, pressSpeak, speakByAddress } from './newcomers/visits.ts'
import { readStartPage } from './newcomers/start-page.ts'
import { scriptedModel } from './quick-starts/scripted-model.ts'
import { localRegistry, OURS, publishTarballs } from './release/local-registry.ts'

const ROOT = dirname(import.meta.dirname)

/** How a start page ends. */
interface StartPage extends Pick<NewcomerOptions, 'files' | 'serves' | 'visit'> {
  /** A runtime that the page takes for given. */
  readonly runtime?: 'bun' | 'deno'
  /** What it prints at the end. @default the transcript of its sentence */
  readonly prints?: RegExp
}

/** Deno takes only packages that are a day old, and those of this registry are seconds old. */
const NO_AGE = { 'deno.json': '{ "minimumDependencyAge": 0 }' }

const PAGES: ReadonlyMap<string, StartPage> = new Map<string, StartPage>([
  ['express', { serves: true }],
  ['fastify', { serves: true }],
  ['hono', { serves: true }],
  ['nestjs', { serves: true }],
  ['nextjs', { serves: true, visit: speakByAddress, prints: /Next\.js \d/ }],
  ['workers', { serves: true, prints: /Ready on/ }],
  ['deno', { serves: true, runtime: 'deno', files: NO_AGE }],
  ['bun', { serves: true, runtime: 'bun' }],
  ['ai-sdk', { serves: false }],
  ['langchain', { serves: false, prints: /Spoken: / }],
  ['vite', { serves: true, visit: listen, prints: /ready in/ }],
  ['astro', { serves: true, visit: listen, prints: /ready in/ }],
  ['vitepress', { serves: true, visit: listen, prints: /vitepress \d/ }],
  ['browsers', { serves: true, visit: pressSpeak, prints: /added \d+ packages/ }],
  ['service', { serves: true }],
])

const TRANSCRIPT = /good morning|hello there/i

/**
 * A line that worries a newcomer. Not the page's: settings of this machine's npm, what npx installs, and scripts of packages
 * that are not ours.
 */
const FAULT =
  /^npm (?:warn (?!Unknown|exec The following|install-scripts(?!.*svc-audio))|error)|deprecated|error TS\d|\bwarn(?:ing)?\b.*(?:svc-audio|narration)|"level":[456]0/i

/** Programs of the pages that would report their use. */
const SILENCE = { ASTRO_TELEMETRY_DISABLED: '1', NEXT_TELEMETRY_DISABLED: '1', WRANGLER_SEND_METRICS: 'false' }

const chosen = process.argv.slice(2).filter((argument) => argument !== '--')
const isChosen = (name: string): boolean => chosen.length === 0 || chosen.includes(name)

function report(name: string, commands: number, seconds: number, faults: readonly string[]): void {
  console.log(`${name}: ${commands} commands, ${(seconds / 60).toFixed(1)} min, ${faults.length} faults`)
  for (const fault of faults) console.error(`  ${fault}`)
  if (faults.length > 0) process.exitCode = 1
}

const folder = await mkdtemp(join(tmpdir(), 'svc-audio-newcomers-'))
const apiKey = 'key-of-a-newcomer'
const service = await startService({ dataDir: join(folder, 'data'), port: 0, apiKeys: new Map([[apiKey, 'newcomer']]) })
const model = await scriptedModel({ tool: 'speak', arguments: { text: 'Good morning.' } })
try {
  await using registry = await localRegistry(join(folder, 'registry'), OURS)
  const packages = await packageTarballs(join(folder, 'tarballs'))
  await publishTarballs(registry, packages)
  const env = {
    ...registry.env,
    ...SILENCE,
    SVC_AUDIO_API_KEY: apiKey,
    SVC_AUDIO_BASE_URL: service.url,
    OPENAI_BASE_URL: model.url,
    OPENAI_API_KEY: 'scripted',
  }
  for (const [name, { prints = TRANSCRIPT, runtime, ...page }] of PAGES) {
    if (!isChosen(name)) continue
    try {
      const steps = readStartPage(await readFile(join(ROOT, `docs/start/${name}.md`), 'utf8'))
      const programs = runtime === undefined ? [] : [await install(runtime)]
      const { commands, seconds, printed, audioBytes } = await follow(steps, { env, programs, ...page })
      report(name, commands, seconds, [
        ...printed.split('\n').filter((line) => FAULT.test(line)),
        ...(audioBytes > 1000 ? [] : ['there is no sound']),
        ...(prints.test(printed) ? [] : [`it does not print ${String(prints)}: ${printed.slice(-500)}`]),
      ])
    } catch (error) {
      report(name, 0, 0, [String(error)])
    }
  }
  if (isChosen('contributor')) {
    const place = join(folder, 'contributor')
    await mkdir(place)
    const { commands, seconds, faults } = await contribute(ROOT, place)
    report('contributor', commands, seconds, faults)
  }
} finally {
  await model[Symbol.asyncDispose]()
  await service.close()
  await rm(folder, { recursive: true, force: true })
}

/** Installs a runtime. @returns the folder of its program */
async function install(name: 'bun' | 'deno'): Promise<string> {
  const [dependency, program] = runtimes()[name]
  const place = join(folder, name)
  await mkdir(place)
  await output('npm', ['install', '--no-audit', '--no-fund', `${dependency}@${RUNTIME_VERSIONS[name]}`], { cwd: place })
  return dirname(join(place, 'node_modules', dependency, program))
}
