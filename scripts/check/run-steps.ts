import { spawn } from 'node:child_process'
import type { Step } from './steps.ts'

/** Surroundings of {@link runSteps}. */
export interface RunOptions {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** Steps that run at once. */
  readonly parallel: number
  /** Receives one line per step that passes, and the whole output of a step that fails. */
  readonly write: (text: string) => void
}

/**
 * Runs each step as soon as the steps that it needs have passed, in the order of the list. A step whose need failed does
 * not run.
 *
 * @returns Names of the steps that failed, the first failure first
 */
export async function runSteps(steps: readonly Step[], options: RunOptions): Promise<string[]> {
  const names = new Set(steps.map(({ name }) => name))
  const waiting = [...steps]
  const passed = new Set<string>()
  const failed: string[] = []
  const running = new Set<Promise<void>>()
  const isReady = ({ needs = [] }: Step): boolean => needs.every((name) => passed.has(name) || !names.has(name))
  for (;;) {
    for (const step of waiting.filter(isReady).slice(0, options.parallel - running.size)) {
      waiting.splice(waiting.indexOf(step), 1)
      const run = runStep(step, options, (succeeded) => {
        if (succeeded) passed.add(step.name)
        else failed.push(step.name)
        running.delete(run)
      })
      running.add(run)
    }
    if (running.size === 0) break
    await Promise.race(running)
  }
  for (const { name, needs = [] } of waiting) options.write(`- ${name} did not run: it needs ${needs.join(' and ')}\n`)
  return failed
}

/** Runs a step and prints its result. Never rejects. */
async function runStep(
  { name, command }: Step,
  { cwd, env, write }: RunOptions,
  onEnd: (succeeded: boolean) => void,
): Promise<void> {
  const start = performance.now()
  const [program, ...args] = command
  // The Node of this process, whichever is first on PATH.
  const child = spawn(program === 'node' ? process.execPath : program, args, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk))
  const { promise, resolve } = Promise.withResolvers<boolean>()
  child.on('error', (error) => {
    output.push(Buffer.from(`${program} could not start: ${error.message}. Run \`npx -y pnpm@12 install\`.\n`))
    resolve(false)
  })
  child.on('close', (exitCode) => resolve(exitCode === 0))
  const succeeded = await promise
  const seconds = `${((performance.now() - start) / 1000).toFixed(1)} s`
  if (succeeded) write(`✓ ${name} ${seconds}\n`)
  else write(`✗ ${name} ${seconds}: ${command.join(' ')}\n${Buffer.concat(output).toString().trimEnd()}\n`)
  onEnd(succeeded)
}
