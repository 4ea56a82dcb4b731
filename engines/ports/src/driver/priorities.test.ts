import { getPriority } from 'node:os'
import { Worker } from 'node:worker_threads'
import { afterEach, expect, test } from 'vitest'
import { BACKGROUND_PRIORITY, checkPriorities, setBackgroundPriority } from './priorities.ts'

afterEach(() => setBackgroundPriority(BACKGROUND_PRIORITY))

/** The nice value of a thread that has stepped back. */
async function steppedBack(): Promise<unknown> {
  const module = JSON.stringify(new URL('priorities.ts', import.meta.url).href)
  const code = `import(${module}).then(({ stepThreadBack }) => {
    stepThreadBack()
    require('node:worker_threads').parentPort.postMessage(require('node:os').getPriority(0))
  })`
  const thread = new Worker(code, { eval: true })
  try {
    return await new Promise((resolve, reject) => thread.once('message', resolve).once('error', reject))
  } finally {
    await thread.terminate()
  }
}

test.runIf(process.platform === 'linux')(
  'a thread steps back to the value of the setting, and no other thread',
  async () => {
    const before = getPriority(0)
    expect(await steppedBack()).toBe(Math.max(before, BACKGROUND_PRIORITY))
    setBackgroundPriority(17)
    expect(await steppedBack()).toBe(17)
    expect(getPriority(0)).toBe(before)
  },
)

test.each([
  [{ engine: 20, background: 20 }, 'engineNice must be an integer from 0 to 19, got 20'],
  [{ engine: 0.5, background: 15 }, 'engineNice must be'],
  [{ engine: 5, background: 4 }, 'backgroundNice must be an integer from engineNice (5) to 19, got 4'],
])('the priorities %o are refused', (priorities, message) => {
  expect(() => checkPriorities(priorities)).toThrow(message)
})

test('equal priorities are accepted', () => {
  expect(() => checkPriorities({ engine: 0, background: 0 })).not.toThrow()
})
