// Builds every package, or those of turbo's `--filter` options. Prints one line, or the whole output of a failed build.
import { spawn } from 'node:child_process'
import { join } from 'node:path'

/** Delay of the line. A cached build ends sooner and prints nothing. */
const QUIET_MILLISECONDS = 1500

const root = join(import.meta.dirname, '..')
const child = spawn(
  join(root, 'node_modules/.bin/turbo'),
  ['run', 'build', '--output-logs=errors-only', ...process.argv.slice(2)],
  {
    cwd: root,
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  },
)
const output: Buffer[] = []
for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk))
const line = setTimeout(() => process.stderr.write('Building the packages …\n'), QUIET_MILLISECONDS)

child.on('error', (error) => {
  clearTimeout(line)
  process.stderr.write(`The build could not start: ${error.message}. Run \`npx -y pnpm@12 install\`.\n`)
  process.exitCode = 1
})
child.on('close', (exitCode) => {
  clearTimeout(line)
  if (exitCode !== 0) process.stderr.write(Buffer.concat(output))
  process.exitCode = exitCode ?? 1
})
