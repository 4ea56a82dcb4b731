// Clients that others' generators make of GET /openapi.json, against a running service: each must compile, and each of
// its calls must print `ok`. Run it with: npx -y pnpm@12 suite generators
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { output, run } from '@svc-audio/kit/hosts'
import { startService } from '../../src/index.ts'

const KEY = 'key-of-the-generators-0123'
const CLIENTS = import.meta.dirname

/** A generator, and the client that it makes. */
interface Generator {
  readonly name: string
  /** Programs with their arguments, in the folder of the generator. The last one makes the calls. */
  readonly commands: readonly (readonly [string, ...string[]])[]
  readonly files: Readonly<Record<string, string>>
}

const TSC =
  '--noEmit --strict --skipLibCheck --target es2023 --module esnext --moduleResolution bundler --types node'.split(' ')
const PACKAGE = JSON.stringify({ private: true, type: 'module' })
const npm = (...packages: string[]): readonly [string, ...string[]] => [
  'npm',
  'install',
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
  // The generators use its programming interface, which version 7 does not have.
  'typescript@^5.9.0',
  'tsx@^4.0.0',
  '@types/node@^24.0.0',
  ...packages,
]

/** Maven, without its own lines. */
const MVN = ['mvn', '--batch-mode', '--quiet', '-Dstyle.color=never'] as const

const GENERATORS: readonly Generator[] = [
  {
    name: 'openapi-python-client',
    files: { 'calls.py': 'python.py' },
    commands: [
      ['python3', '-m', 'venv', 'venv'],
      ['venv/bin/pip', 'install', '--quiet', 'openapi-python-client==0.29.1'],
      [
        'venv/bin/openapi-python-client',
        'generate',
        '--path',
        '../openapi.json',
        '--meta',
        'none',
        '--output-path',
        'client',
      ],
      ['venv/bin/python', 'calls.py'],
    ],
  },
  {
    name: 'hey-api',
    files: { 'calls.ts': 'hey.ts.txt' },
    commands: [
      npm('@hey-api/openapi-ts'),
      ['node_modules/.bin/openapi-ts', '--input', '../openapi.json', '--output', 'hey'],
      ['node_modules/.bin/tsc', ...TSC, 'calls.ts'],
      ['node_modules/.bin/tsx', 'calls.ts'],
    ],
  },
  {
    name: 'openapi-typescript',
    files: { 'calls.ts': 'fetch.ts.txt' },
    commands: [
      npm('openapi-typescript', 'openapi-fetch'),
      ['node_modules/.bin/openapi-typescript', '../openapi.json', '--output', 'schema.d.ts'],
      ['node_modules/.bin/tsc', ...TSC, 'calls.ts'],
      ['node_modules/.bin/tsx', 'calls.ts'],
    ],
  },
  {
    name: 'oapi-codegen',
    files: { 'main.go': 'client.go.txt' },
    commands: [
      ['go', 'mod', 'init', 'generated'],
      ['mkdir', '-p', 'client'],
      [
        'go',
        'run',
        'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2',
        '-generate',
        'types,client',
        '-package',
        'client',
        '-o',
        'client/client.go',
        '../openapi.json',
      ],
      ['go', 'mod', 'tidy'],
      ['go', 'run', '.'],
    ],
  },
  {
    name: 'openapi-generator',
    files: { 'java/src/main/java/Calls.java': 'Calls.java.txt' },
    commands: [
      [...MVN, 'dependency:copy', '-Dartifact=org.openapitools:openapi-generator-cli:7.12.0', '-DoutputDirectory=.'],
      [
        'java',
        '-jar',
        'openapi-generator-cli-7.12.0.jar',
        'generate',
        '-i',
        '../openapi.json',
        '-g',
        'java',
        '-o',
        'java',
        '--additional-properties=invokerPackage=generated,apiPackage=generated.api,modelPackage=generated.model',
      ],
      [...MVN, '--file', 'java', 'compile'],
      [...MVN, '--file', 'java', 'org.codehaus.mojo:exec-maven-plugin:3.5.0:java', '-Dexec.mainClass=Calls'],
    ],
  },
]

const [chosen] = process.argv.slice(2)
const folder = await mkdtemp(join(tmpdir(), 'svc-audio-generators-'))
const service = await startService({
  dataDir: join(folder, 'data'),
  port: 0,
  apiKeys: new Map([[KEY, 'tests']]),
  openaiApi: true,
  logLevel: 'silent',
})
try {
  const document = await fetch(`${service.url}/openapi.json`)
  await writeFile(join(folder, 'openapi.json'), await document.text())
  const authorization = `Bearer ${KEY}`
  const recording = await fetch(`${service.url}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'svc-tts-1.5-flash',
      voice_id: 'rms',
      input: 'He opened the door and walked into the room with a letter in his hand.',
    }),
  })
  await writeFile(join(folder, 'a.wav'), new Uint8Array(await recording.arrayBuffer()))
  const env = { BASE: service.url, KEY, WAV: join(folder, 'a.wav') }
  for (const generator of GENERATORS.filter(({ name }) => chosen === undefined || name === chosen)) {
    const passed = await tryGenerator(generator, join(folder, generator.name), env)
    if (!passed) process.exitCode = 1
  }
} finally {
  await service.close()
  await rm(folder, { recursive: true, force: true })
}

/** Makes a client and its calls. @returns whether all of them were well */
async function tryGenerator(
  { name, commands, files }: Generator,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<boolean> {
  await mkdir(cwd)
  await writeFile(join(cwd, 'package.json'), PACKAGE)
  for (const [to, from] of Object.entries(files)) await cp(join(CLIENTS, from), join(cwd, to))
  try {
    for (const [program, ...args] of commands.slice(0, -1)) await output(program, args, { cwd, env })
  } catch (error) {
    process.stdout.write(`NOT ${name}: ${error instanceof Error ? error.message : String(error)}\n`)
    return false
  }
  const [program, ...args] = commands.at(-1) ?? ['true']
  const { stdout, stderr, exitCode } = await run(program, args, { cwd, env })
  // Maven ends its output with a code of the terminal.
  const lines = stripVTControlCharacters(stdout).trim().split('\n')
  process.stdout.write(`${lines.map((line) => `${name}: ${line}`).join('\n')}\n${exitCode === 0 ? '' : stderr}`)
  return exitCode === 0 && lines.length > 9 && lines.every((line) => line.startsWith('ok '))
}
