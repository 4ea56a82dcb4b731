import { join } from 'node:path'
import { nodeBinary, run, type RunResult } from '@svc-audio/kit/hosts'
import { expect, test } from 'vitest'

const FOLDER = join(import.meta.dirname, '..')
const START = "new AudioClient({ apiKey: 'k', baseUrl: 'http://127.0.0.1:9' }); console.log('started')"

const PROGRAMS = {
  import: `const { AudioClient } = await import('@svc-audio/core'); ${START}`,
  require: `const { AudioClient } = require('@svc-audio/core'); ${START}`,
} as const

async function start(major: 20 | 22 | 24 | 26, how: keyof typeof PROGRAMS): Promise<RunResult> {
  const type = how === 'import' ? 'module' : 'commonjs'
  const node = await nodeBinary(major)
  return run(node, [`--input-type=${type}`, '--eval', PROGRAMS[how]], { cwd: FOLDER, node })
}

test.each(['import', 'require'] as const)('Node 20 gets one line that names both versions, by %s', async (how) => {
  const { exitCode, stderr } = await start(20, how)
  expect(exitCode).toBe(1)
  expect(stderr).toContain('ConfigurationError: @svc-audio/core needs Node 22.19 or later, found 20.')
  expect(stderr).not.toContain('TypeError')
})

test('Node 20 gets one line of the command line too', async () => {
  const command = join(FOLDER, '../cli/dist/main.js')
  const node = await nodeBinary(20)
  const { exitCode, stderr } = await run(node, [command, 'speak', 'Good morning.'], { cwd: FOLDER, node })
  expect(exitCode).toBe(1)
  expect(stderr).toMatch(/^svc-audio: the command line needs Node 22\.19 or later, found 20\.[\d.]+: update Node\n$/)
})

test.each([22, 24, 26] as const)('Node %d starts the client, by import and by require', async (major) => {
  for (const how of ['import', 'require'] as const) {
    expect(await start(major, how)).toMatchObject({ exitCode: 0, stdout: 'started\n' })
  }
})
