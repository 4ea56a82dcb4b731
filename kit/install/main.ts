// Follows what a page prints, in an empty folder, with the packages from a registry on this machine and a service that
// runs. `readmes`: the quick start of each package, programs of the page's Code tab, and all packages in one project.
// `start`: the start pages line by line, `npm create vite`, and CONTRIBUTING in a clone: no dead end, no warning, sound at the
// end. `code`: every program of the Code tab. More arguments limit it to these names.
// `suite n8n` has the path of n8n, which takes an n8n.
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { AudioClient } from '@svc-audio/core'
import { startService } from '@svc-audio/service'
import { output, packageTarballs, RUNTIME_VERSIONS, runtimes } from '../hosts/index.ts'
import { printedProjects } from './code-tab.ts'
import { contribute } from './contribute.ts'
import { createVite } from './create-vite.ts'
import { follow, type NewcomerOptions } from './follow.ts'
import { newProject, type Surroundings } from './new-project.ts'
import { runInstalled } from './program.ts'
import { QUICK_STARTS, SPOKEN } from './quick-starts.ts'
import { localRegistry, OURS, publishTarballs } from './registry.ts'
import { scriptedModel } from './scripted-model.ts'
import { readStartPage } from './start-page.ts'
import { listen, pressSpeak, speakByAddress } from './visits.ts'

const ROOT = join(import.meta.dirname, '../..')
const API_KEY = 'key-of-a-newcomer'

/** How a start page ends. */
interface StartPage extends Pick<NewcomerOptions, 'files' | 'serves' | 'visit'> {
  /** A runtime that the page takes for given. */
  readonly runtime?: 'bun' | 'deno'
  /** What it prints at the end. @default the transcript of its sentence */
  readonly prints?: RegExp
}

/** Deno takes only packages that are a day old, and those of this registry are seconds old. */
const NO_AGE = { 'deno.json': '{ "minimumDependencyAge": 0 }' }

const START_PAGES: ReadonlyMap<string, StartPage> = new Map<string, StartPage>([
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

/** The server of the example of queues. */
interface Redis extends AsyncDisposable {
  readonly url: string
}

/** A path of a newcomer. */
interface Path {
  readonly name: string
  /** Follows it. @returns what is not as the page says. @throws Error at a dead end */
  readonly follow: () => Promise<readonly string[]>
}

const folder = await mkdtemp(join(tmpdir(), 'svc-audio-newcomers-'))
const service = await startService({
  dataDir: join(folder, 'data'),
  port: 0,
  apiKeys: new Map([[API_KEY, 'newcomer']]),
  // As the playground's service has them.
  openaiApi: true,
  webhookAllow: ['http://127.0.0.1'],
})
let redis: Redis | undefined
const model = await scriptedModel({ tool: 'speak', arguments: { text: 'Good morning.' } })
try {
  await using registry = await localRegistry(join(folder, 'registry'), OURS)
  const packages = await packageTarballs(join(folder, 'tarballs'))
  await publishTarballs(registry, packages)
  const env = { ...registry.env, ...SILENCE, SVC_AUDIO_API_KEY: API_KEY, SVC_AUDIO_BASE_URL: service.url }
  const groups: Readonly<Record<string, () => readonly Path[] | Promise<readonly Path[]>>> = {
    readmes: async () => readmePaths({ packages, env, recording: await record() }),
    code: async () => {
      const example: { readonly startRedis: (data: string) => Promise<Redis | undefined> } = await import(
        join(ROOT, 'examples/nestjs/redis.ts')
      )
      redis = await example.startRedis(folder)
      if (redis === undefined) throw new Error('Install redis-server: apt-get install redis-server')
      const more = { ...env, REDIS_URL: redis.url, OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'scripted' }
      return codeTab(undefined, { packages, env: more, recording: await record() })
    },
    start: async () => [
      ...startPaths({ ...env, OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'scripted' }),
      // No account: without the variables of the service.
      {
        name: 'create-vite',
        follow: () => createVite(join(folder, 'create-vite'), { ...registry.env, ...SILENCE }),
      },
      ...bareMachine({ ...registry.env, ...SILENCE }, await record()),
    ],
  }
  const [group = '', ...chosen] = process.argv.slice(2).filter((argument) => argument !== '--')
  const paths = groups[group]
  if (paths === undefined) throw new TypeError(`Usage: main.ts ${Object.keys(groups).join(' | ')} [name …]`)
  await followAll((await paths()).filter(({ name }) => chosen.length === 0 || chosen.includes(name)))
} finally {
  await redis?.[Symbol.asyncDispose]()
  await model[Symbol.asyncDispose]()
  await service.close()
  await rm(folder, { recursive: true, force: true })
}

/** The messages of an error and of its causes. */
function messagesOf(error: unknown): readonly string[] {
  return error instanceof Error ? [String(error), ...messagesOf(error.cause)] : []
}

/** Follows the paths, two at a time: an install waits for the network as long as it computes. */
async function followAll(paths: readonly Path[]): Promise<void> {
  const waiting = [...paths]
  const work = async (): Promise<void> => {
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      const start = performance.now()
      const faults = await path.follow().catch((error: unknown) => messagesOf(error))
      const seconds = ((performance.now() - start) / 1000).toFixed(1)
      console.log(`${faults.length === 0 ? '✓' : '✗'} ${path.name.padEnd(32)} ${seconds} s`)
      for (const fault of faults) console.log(`  ${fault}`)
      if (faults.length > 0) process.exitCode = 1
    }
  }
  await Promise.all([work(), work()])
}

/** The quick starts of the READMEs, and all packages in one project. */
function readmePaths(surroundings: Surroundings): readonly Path[] {
  const readmes = Array.from(surroundings.packages.keys(), (name): Path => {
    const quickStart = QUICK_STARTS[name]
    return {
      name,
      async follow() {
        if (quickStart === undefined) return [`${name} has no quick start: add one to kit/install/quick-starts.ts`]
        await using project = await newProject(name, surroundings)
        await quickStart.follow(project)
        if (project.hasProgram) {
          // npm 11 makes the project one of CommonJS.
          await project.shell('npm init --yes')
          await quickStart.follow(project)
        }
        return []
      },
    }
  })
  const all: Path = {
    name: 'all packages',
    async follow() {
      const { packages, env } = surroundings
      const ours = Object.fromEntries(Array.from(packages.keys(), (name) => [name, '*']))
      const peers = Object.assign({}, ...Array.from(packages.values(), (one) => one.peers))
      await runInstalled(join(folder, 'all'), { ours, peers, env })
      return []
    },
  }
  return [...readmes, ...codeTab(['Speak a file'], surroundings), all]
}

/** Programs of the Code tab. @param views Names of views. @default all */
function codeTab(views: readonly string[] | undefined, surroundings: Surroundings): readonly Path[] {
  return printedProjects(views).map(({ name, follow: followPage }) => ({
    name,
    async follow() {
      await followPage(surroundings)
      return []
    },
  }))
}

/** The start pages, and CONTRIBUTING. */
function startPaths(env: Readonly<Record<string, string>>): readonly Path[] {
  const pages = Array.from(START_PAGES, ([name, { prints = TRANSCRIPT, runtime, ...page }]): Path => ({
    name,
    async follow() {
      const steps = readStartPage(await readFile(join(ROOT, `docs/start/${name}.md`), 'utf8'))
      const programs = runtime === undefined ? [] : [await install(runtime)]
      const { printed, audioBytes } = await follow(steps, { env, programs, ...page })
      return [
        ...printed.split('\n').filter((line) => FAULT.test(line)),
        ...(audioBytes > 1000 ? [] : ['there is no sound']),
        ...(prints.test(printed) ? [] : [`it does not print ${String(prints)}: ${printed.slice(-500)}`]),
      ]
    },
  }))
  const contributor: Path = {
    name: 'contributor',
    async follow() {
      const place = join(folder, 'contributor')
      await mkdir(place)
      return contribute(ROOT, place)
    },
  }
  return [...pages, contributor]
}

/**
 * The first minutes without a service and without an account: to the voice of the demo, and to the text of a recording.
 * @param env Variables of the registry.
 * @param recording Of {@link SPOKEN}, as WAV.
 */
function bareMachine(env: Readonly<Record<string, string>>, recording: string): readonly Path[] {
  const demo: Path = {
    name: 'demo of a clone',
    async follow() {
      const clone = join(folder, 'demo')
      await output('git', ['clone', '--quiet', ROOT, clone], { cwd: folder })
      const printed = await output('npx', ['-y', 'pnpm@12', 'demo', '--out', 'audio'], { cwd: clone })
      return /Transcript/.test(printed) ? [] : [`the demo ends with ${printed.slice(-300)}`]
    },
  }
  const ownFile: Path = {
    name: 'text of a recording',
    async follow() {
      const place = join(folder, 'own-file')
      await mkdir(place)
      const text = await output('npx', ['-y', 'svc-audio', 'transcribe', recording], { cwd: place, env })
      return /train/i.test(text) ? [] : [`the text is ${text}`]
    },
  }
  return [demo, ownFile]
}

/** Speaks the sentence of the quick starts. @returns the path of a WAV file */
async function record(): Promise<string> {
  const recording = join(folder, 'speech.wav')
  await using client = new AudioClient({ apiKey: API_KEY, baseUrl: service.url })
  const speech = await client.speech.stream({ model: 'svc-tts-1.5-flash', input: SPOKEN, voice_id: 'rms' })
  await speech.saveTo(recording)
  return recording
}

/** Installs a runtime. @returns the folder of its program */
async function install(name: 'bun' | 'deno'): Promise<string> {
  const [dependency, program] = runtimes()[name]
  const place = join(folder, name)
  await mkdir(place)
  await output('npm', ['install', '--no-audit', '--no-fund', `${dependency}@${RUNTIME_VERSIONS[name]}`], { cwd: place })
  return dirname(join(place, 'node_modules', dependency, program))
}
