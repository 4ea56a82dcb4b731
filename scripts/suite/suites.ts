/** Tests that one command runs. */
export interface Suite {
  /** What it proves, and what it needs, in one sentence. */
  readonly about: string
  /** Programs with their arguments, from the root. The first one that fails ends the suite. */
  readonly commands: readonly (readonly [string, ...string[]])[]
  /** Variables of the commands. */
  readonly env?: Readonly<Record<string, string>>
}

/** Tests of vitest.suites.config.ts, whose suite has the same name. @param env Further variables. */
function vitest(name: string, about: string, env: Readonly<Record<string, string>> = {}): readonly [string, Suite] {
  const command = ['vitest', 'run', '--config', 'vitest.suites.config.ts'] as const
  return [name, { about, commands: [command], env: { SUITE: name, ...env } }]
}

function node(name: string, about: string, script: string, ...args: readonly string[]): readonly [string, Suite] {
  return [name, { about, commands: [['node', script, ...args]] }]
}

/** The suites of each commit. `.ci/run` and the workflow run them after `test` and `check`. */
export const SUITES: ReadonlyMap<string, Suite> = new Map([
  vitest('service', 'real speech and recognition, audio formats, command lines, databases, the rules of the interface'),
  vitest('hosts', 'the packed packages in one host of each kind'),
  vitest('browser', 'the journeys through the playground in Chromium'),
  node(
    'packages',
    'the quick starts of the READMEs as printed, and every package in one project',
    'kit/install/main.ts',
    'readmes',
  ),
])

/** Files, for a shell. */
const PROPERTY_TESTS = `$(git grep -l "'fast-check'" -- '*.test.ts')`

/** The suites of the night and of a release: matrices of versions, long runs, whole sites. */
export const NIGHTLY: ReadonlyMap<string, Suite> = new Map([
  vitest('matrix', 'every version of a framework, every store fault, whole sites, and the published types', {
    SOAK_SECONDS: '1800',
  }),
  [
    'seeds',
    {
      about: 'the property tests, ten times with random seeds; a failure prints the seed that repeats it',
      commands: [
        ['sh', '-c', `vitest run --repeats=9 ${PROPERTY_TESTS}`],
        ['sh', '-c', `SUITE=service vitest run --config vitest.suites.config.ts --repeats=4 ${PROPERTY_TESTS}`],
      ],
      env: { SVC_AUDIO_SEED: 'random' },
    },
  ],
  node('hostile', '10,000 hostile requests to the service', 'apps/service/test/hostile/main.ts'),
  node('crash', 'a service that is killed under load loses nothing', 'apps/service/test/crash/main.ts'),
  node('loud', 'one tenant beside another that floods the service', 'apps/service/test/loud/main.ts'),
  node(
    'soak',
    'the service under faults of the machine, one hour; `suite soak 5` takes five minutes',
    'apps/service/test/faults/main.ts',
  ),
  node('cluster', 'seven processes under faults; needs PostgreSQL', 'apps/service/test/cluster/chaos/main.ts'),
  node(
    'agents',
    'a voice agent in a noisy room, and an hour of speech; needs sox',
    'packages/langchain-tools/test-hosts/soak/main.ts',
  ),
  node('hour', 'an hour of speech: flat memory, times without drift', 'apps/service/test-nightly/hour.ts'),
  node(
    'live',
    'live transcription in real time: transcripts within a second, 50 sessions at once, clients that vanish; needs a quiet machine',
    'apps/service/test-nightly/live.ts',
  ),
  node(
    'speakers',
    'speakers of conversations of people, clean and on the telephone; needs the package manager of Debian, pip, unzip and ffmpeg',
    'engines/bundled/test/people/main.ts',
  ),
  node(
    'generators',
    'clients that generators of Python, TypeScript, Go and Java make of the OpenAPI document; needs python3 with venv, npm, go, java and mvn',
    'apps/service/test-nightly/generators/main.ts',
  ),
  node(
    'refusals',
    'refused uploads behind nginx, HAProxy and Caddy and from Chromium, 50 of each kind',
    'scripts/refusals.ts',
  ),
  node(
    'heard',
    'the voice joe, heard by faster-whisper: at most 4 % of the words wrong; needs python3 with venv',
    'engines/bundled/test-nightly/hear-joe.ts',
  ),
  node(
    'models',
    'real models of sherpa-onnx, faster-whisper-server and a studio for voices of Piper; needs python3 with venv, espeak-ng and PyPI',
    'apps/service/test-nightly/real-models/main.ts',
  ),
  node(
    'python',
    'the OpenAI API called by Python libraries: openai, LiteLLM, LiveKit, Pipecat, wyoming-openai; needs python3 with venv and pip',
    'apps/service/test-nightly/python-clients.ts',
  ),
  node('busy', 'the demo beside six endless loops', 'scripts/demo-busy.ts'),
  node(
    'n8n',
    'the newest n8n with its editor; needs Chromium and Redis. `--release oldest` takes the oldest',
    'packages/n8n-nodes/test-n8n/main.ts',
  ),
  node(
    'site',
    'the built documentation in Chromium: links, chunks, consoles, weight, accessibility, search, player',
    'apps/docs/test-site.ts',
  ),
  [
    'newcomers',
    {
      about:
        "the start pages line by line, `npm create vite`, and every program of the page's Code tab, from a registry on this machine; needs Chromium and Redis",
      commands: [
        ['node', 'kit/install/main.ts', 'start'],
        ['node', 'kit/install/main.ts', 'code'],
      ],
    },
  ],
  node(
    'release',
    'a release to a registry on this machine, installed on each supported Node',
    'kit/install/release.ts',
  ),
])
