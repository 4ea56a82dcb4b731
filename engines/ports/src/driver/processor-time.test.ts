import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { BACKGROUND_PRIORITY, checkPriorities, ScheduledTime, setBackgroundPriority } from './processor-time.ts'

afterEach(() => setBackgroundPriority(BACKGROUND_PRIORITY))

/** The nice value of a thread that has stepped back. */
async function steppedBack(): Promise<unknown> {
  const module = JSON.stringify(new URL('processor-time.ts', import.meta.url).href)
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

const isLinux = process.platform === 'linux'
const PID = 7

describe.runIf(isLinux)('the share of the time that a process was given', () => {
  let proc: string
  let now: number
  beforeEach(() => {
    proc = mkdtempSync(join(tmpdir(), 'svc-audio-proc-'))
    now = 5000
  })
  afterEach(() => rmSync(proc, { recursive: true }))

  /** Times in milliseconds. */
  function set(id: number, worked: number, waited: number, state = 'S'): void {
    const folder = join(proc, String(PID), 'task', String(id))
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'schedstat'), `${worked * 1e6} ${waited * 1e6} 3\n`)
    writeFileSync(join(folder, 'stat'), `${id} (a name) with ) S) ${state} 1 2\n`)
  }

  const measure = (which: 'main' | 'all' = 'all'): ScheduledTime =>
    new ScheduledTime(PID, which, { proc, now: () => now })

  test('is all of it at the first call, and while its threads sleep or are stopped', () => {
    set(PID, 100, 100)
    set(8, 100, 100, 'T')
    const time = measure()
    expect(time.share()).toBe(1)
    now += 1000
    expect(time.share()).toBe(1)
  })

  test('is its work as a part of its work and its waits for a processor', () => {
    set(PID, 100, 100)
    set(8, 1000, 0)
    const time = measure()
    time.share()
    now += 1000
    set(PID, 100, 100)
    set(8, 1250, 750, 'R')
    expect(time.share()).toBe(0.25)
    now += 1000
    set(8, 2250, 750, 'R')
    expect(time.share()).toBe(1)
  })

  test.each(['R', 'D'])('is nothing while its only thread with work stays in state %s without a turn', (state) => {
    set(PID, 100, 100)
    set(8, 1000, 0, state)
    const time = measure()
    time.share()
    now += 1000
    expect(time.share()).toBe(0)
  })

  test('counts from the start of a process that starts now', () => {
    const time = new ScheduledTime(PID, 'all', { proc, now: () => now, young: true })
    now += 1000
    set(PID, 300, 700)
    expect(time.share()).toBe(0.3)
  })

  test('counts only the main thread, if asked', () => {
    set(PID, 100, 100, 'R')
    set(8, 0, 0, 'R')
    const time = measure('main')
    time.share()
    now += 1000
    set(PID, 1100, 100, 'R')
    expect(time.share()).toBe(1)
  })

  test('is all of it for a process that has ended', () => {
    expect(measure().share()).toBe(1)
  })
})

function statesOf(pid: number): readonly string[] {
  return readdirSync(`/proc/${pid}/task`).map((id) => {
    const stat = readFileSync(`/proc/${pid}/task/${id}/stat`, 'utf8')
    return stat.charAt(stat.lastIndexOf(')') + 2)
  })
}

describe.runIf(isLinux)('of a real process', () => {
  const children: ChildProcess[] = []
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL')
  })

  test.each(['main', 'all'] as const)('that is stopped, all of the time counts: %s', async (which) => {
    const child = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' })
    children.push(child)
    const { pid = 0 } = child
    await sleep(200)
    process.kill(pid, 'SIGSTOP')
    // A thread stops when it is next given a processor: on a busy machine, that takes its time.
    await vi.waitUntil(() => statesOf(pid).every((state) => state === 'T'), { timeout: 60_000 })
    const time = new ScheduledTime(pid, which)
    time.share()
    await sleep(100)
    expect(time.share()).toBe(1)
  })

  test('that shares a processor with another, a part of the time counts', async () => {
    const program = 'const end = Date.now() + 20000; while (Date.now() < end);'
    const { processor = '0' } =
      /Cpus_allowed_list:\s*(?<processor>\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.groups ?? {}
    // Both run on one processor, so each waits half of the time.
    for (let index = 0; index < 2; index += 1) {
      children.push(spawn('taskset', ['-c', processor, process.execPath, '-e', program], { stdio: 'ignore' }))
    }
    const time = new ScheduledTime(children[0]?.pid ?? 0)
    await sleep(500)
    time.share()
    await sleep(1000)
    const share = time.share()
    expect(share).toBeLessThan(0.9)
    expect(share).toBeGreaterThan(0)
  })
})
