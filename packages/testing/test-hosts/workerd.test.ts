import { spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cleanProject, freePort, RUNTIME_VERSIONS, runtimes, untilListening } from '@svc-audio/kit/hosts'
import { expect, test } from 'vitest'

const { workerd } = runtimes()
const BUNDLE = [
  '--bundle',
  '--format=esm',
  '--conditions=workerd,worker,browser',
  '--external:node:*',
  '--outfile=worker.js',
]

/** busboy requires Node's modules by their old names. */
const ALIASES = ['stream', 'util', 'events', 'string_decoder', 'buffer'].map((name) => `--alias:${name}=node:${name}`)

/** The worker, with a module format that has no `require`. */
const BANNER = "--banner:js=import { createRequire } from 'node:module'; const require = createRequire('/');"

test('a Worker with nodejs_compat tests a client by an upstream in its own isolate', async () => {
  await using project = await cleanProject({
    packages: ['@svc-audio/core', '@svc-audio/testing'],
    manifest: { type: 'module' },
    dependencies: { [workerd[0]]: RUNTIME_VERSIONS.workerd, esbuild: '^0.28.0' },
    files: { 'worker.mjs': await readFile(join(import.meta.dirname, 'support/worker.mjs'), 'utf8') },
  })
  expect(await project.run('esbuild', ['worker.mjs', ...BUNDLE, ...ALIASES, BANNER])).toMatchObject({ exitCode: 0 })
  const port = await freePort()
  const config = join(project.folder, 'config.capnp')
  await writeFile(
    config,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [ (name = "main", worker = .tests) ],
  sockets = [ (name = "http", address = "127.0.0.1:${port}", http = (), service = "main") ]
);
const tests :Workerd.Worker = (
  modules = [ (name = "worker.js", esModule = embed "worker.js") ],
  compatibilityDate = "2025-09-01",
  compatibilityFlags = ["nodejs_compat"]
);`,
  )
  const running = spawn(join(project.folder, 'node_modules', ...workerd), ['serve', config], { stdio: 'inherit' })
  try {
    await untilListening(port)
    const response = await fetch(`http://127.0.0.1:${port}/`)
    expect(JSON.parse(await response.text())).toEqual({
      audio: true,
      text: 'Good morning, this is a test.',
      models: true,
      cutBy: 'StreamTruncatedError',
      files: [5000],
      closed: 'UnusedResponsesError',
    })
  } finally {
    running.kill()
  }
})
