import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startScript } from '../src/index.ts'

async function script(code: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-script-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'script.mjs')
  await writeFile(path, code)
  return path
}

test('a script runs with its arguments and Node options until it is closed', async () => {
  const path = await script(`
    console.log([process.pid, ...process.execArgv, ...process.argv.slice(2)].join(' '))
    setInterval(() => {}, 1000)`)
  const running = await startScript(path, { args: ['a', 'b'], nodeOptions: ['--max-heap-size=64'] })
  const [pid, ...rest] = running.printed.split(' ')
  expect(rest).toEqual(['--max-heap-size=64', 'a', 'b'])
  expect(process.kill(Number(pid), 0)).toBe(true)
  await running.close()
  expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH')
})

test('a script without output throws an error with its exit code', async () => {
  await expect(startScript(await script('process.exit(3)'))).rejects.toThrow('ended with code 3')
})
