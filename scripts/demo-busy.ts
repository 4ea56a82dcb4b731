// Runs the demo on a machine without time for it: six endless loops run beside it. It succeeds, or says in one line what is
// slow, where the audio is and what to do. Prints what the demo printed.
import { match, ok } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { run } from '@svc-audio/kit/hosts'

const LOOPS = 6
const LIMIT_MS = 900_000

/** A loop that ends by itself, should nothing stop it. */
const LOOP = `const end = Date.now() + ${LIMIT_MS}; while (Date.now() < end);`

const folder = await mkdtemp(join(tmpdir(), 'svc-audio-demo-busy-'))
const loops = Array.from({ length: LOOPS }, () => spawn(process.execPath, ['-e', LOOP], { stdio: 'ignore' }))
try {
  const start = performance.now()
  const args = ['-y', 'pnpm@12', 'demo', '--out', folder]
  const { exitCode, stdout, stderr } = await run('npx', args, { cwd: dirname(import.meta.dirname), timeout: LIMIT_MS })
  console.log(`${stdout}${stderr}`)
  console.log(`exit code ${exitCode} after ${((performance.now() - start) / 1000).toFixed(0)} s`)
  for (const line of `${stdout}\n${stderr}`.split('\n')) {
    ok(!/^\s*(?:\{"|at .+[:(]\d+)/.test(line), `a person reads: ${line}`)
  }
  if (exitCode === 0) {
    for (const name of ['speech.wav', 'speech.mp3']) ok((await stat(join(folder, name))).size > 1000)
  } else match(stderr, /^demo: .+ took too long on this busy machine: .+ Close other programs/m)
} finally {
  for (const loop of loops) loop.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
}
