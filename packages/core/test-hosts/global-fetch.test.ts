import { join } from 'node:path'
import { nodeBinary, run } from '@svc-audio/kit/hosts'
import { describe, expect, test } from 'vitest'

const PROGRAM = join(import.meta.dirname, 'support/global-fetch.mjs')

async function start(major: 22 | 24 | 26, ...args: string[]): Promise<{ stdout: string; stderr: string }> {
  const node = await nodeBinary(major)
  return run(node, [PROGRAM, ...args], { cwd: import.meta.dirname, node })
}

describe.each([22, 24, 26] as const)('on Node %d', (major) => {
  test('the first request of AudioClient leaves the dispatcher of the application’s fetch alone', async () => {
    const { stdout, stderr } = await start(major, 'none', 'before')
    expect(stderr).toBe('')
    expect(stdout).toBe('before: fetch failed\nsame: true\nafter: fetch failed\n')
    expect((await start(major, 'none', 'after')).stdout).toBe('same: true\nafter: fetch failed\n')
  })
})

// undici 6 sets the dispatcher of the fetch of Node 22. Later Nodes have a dispatcher of their own.
test.each([
  ['proxy', 'before'],
  ['proxy', 'after'],
  ['mock', 'before'],
  ['mock', 'after'],
])('on Node 22 a %s of undici 6 that is set %s our first request serves the application’s fetch', async (how, when) => {
  const { stdout, stderr } = await start(22, how, when)
  expect(stderr).toBe('')
  const response = `by the ${how}`
  expect(stdout).toBe(`${when === 'before' ? `before: ${response}\n` : ''}same: true\nafter: ${response}\n`)
})
